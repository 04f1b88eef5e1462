import Dispatch
import Foundation

// A simulation takes over how jobs are run, and that has to happen before the first task is made.
SimulationProcess.runIfAsked(CommandLine.arguments)

let tool = CommandLineTool(commands: CommandLineTool.all)
Task {
  let status = await tool.run(Array(CommandLine.arguments.dropFirst()), console: .live())
  exit(status.rawValue)
}
dispatchMain()
