import Foundation

let tool = CommandLineTool(commands: [
  AuditCommand.self,
  BenchCommand.self,
  CatalogCommand.self,
  DemoCommand.self,
  DrillCommand.self,
  KeysCommand.self,
  NotificationsCommand.self,
  ReconcileCommand.self,
  ReplayCommand.self,
  ServeCommand.self,
  StoreCommand.self,
  VerifyCommand.self,
])
let status = await tool.run(Array(CommandLine.arguments.dropFirst()), console: .live())
exit(status.rawValue)
