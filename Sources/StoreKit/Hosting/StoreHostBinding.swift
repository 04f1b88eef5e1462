/// Which host answers the StoreKit calls of the current task.
///
/// A device binds its host around everything an app process runs. The binding is a task-local
/// value: it survives `Task {}` and `MainActor.run`, and is lost in `Task.detached` and on
/// dispatch queues.
package enum StoreHostBinding {
  private static let local = TaskLocal<(any StoreHost)?>(wrappedValue: nil)

  /// The bound host, or nil outside an app process.
  package static var current: (any StoreHost)? { local.get() }

  /// The bound host; traps with a hint when there is none.
  package static func required(_ caller: StaticString = #function) -> any StoreHost {
    guard let host = current else {
      preconditionFailure(
        """
        StoreKit's \(caller) was used outside an app process of a simulated device. Run the code \
        in AppProcess.run { }; Task { } keeps the binding, Task.detached and dispatch queues do not.
        """
      )
    }
    return host
  }

  /// Runs an operation as code of the host's app process.
  package static func bind<Result>(
    _ host: any StoreHost,
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Result
  ) async rethrows -> Result {
    try await local.withValue(host, operation: operation, isolation: isolation)
  }

  /// Runs a synchronous operation as code of the host's app process.
  package static func bind<Result>(
    _ host: any StoreHost,
    _ operation: () throws -> Result
  ) rethrows -> Result {
    try local.withValue(host, operation: operation)
  }
}
