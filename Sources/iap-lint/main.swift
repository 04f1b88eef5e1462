import Foundation

let status = LintTool(files: .live, environment: ProcessEnvironment.live)
  .run(Array(CommandLine.arguments.dropFirst()))
exit(status)
