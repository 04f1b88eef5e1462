import Dispatch
import Foundation

// A simulation takes over how jobs are run, and that has to happen before the first task is made.
SimulationProcess.runIfAsked(CommandLine.arguments)

let tool = CommandLineTool(commands: CommandLineTool.all)
Task {
  let status = await tool.run(Array(CommandLine.arguments.dropFirst()), console: .live())
  // Other threads may still be at work: taking everything apart under them, as exit does, now and
  // then ends in a crash. Nothing waits in a buffer but what the C library holds.
  fflush(nil)
  _exit(status.rawValue)
}
dispatchMain()
