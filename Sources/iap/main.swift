import Dispatch
import Foundation

// A simulation takes over how jobs are run, and that has to happen before the first task is made.
SimulationProcess.runIfAsked(CommandLine.arguments)

let tool = CommandLineTool(commands: [
  AuditCommand.self,
  BenchCommand.self,
  CatalogCommand.self,
  DemoCommand.self,
  MigrateCommand.self,
  BackupCommand.self,
  RestoreCommand.self,
  DrillCommand.self,
  KeysCommand.self,
  NotificationsCommand.self,
  ReceiptCommand.self,
  ReconcileCommand.self,
  ReplayCommand.self,
  ServeCommand.self,
  SimulateCommand.self,
  StoreCommand.self,
  VerifyCommand.self,
])
Task {
  let status = await tool.run(Array(CommandLine.arguments.dropFirst()), console: .live())
  exit(status.rawValue)
}
dispatchMain()
