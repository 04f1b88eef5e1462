import Foundation

let tool = CommandLineTool(commands: [])
let status = await tool.run(Array(CommandLine.arguments.dropFirst()), console: .live())
exit(status.rawValue)
