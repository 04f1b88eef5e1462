import StoreKit
import Synchronization

/// One run of the app on a device, from the launch to the kill.
///
/// Code of the app runs in ``run(_:)``: there, and in the tasks that it starts, StoreKit answers
/// for this process. After the kill no store call returns or has an effect, no callback arrives,
/// no stream yields, and every write to the disk throws.
///
/// - **Concurrency:** safe from any thread.
public final class AppProcess: Sendable {
  let life: ProcessLife
  let host: ProcessHost
  private let simulatedDisk: SimulatedDisk

  init(life: ProcessLife, host: ProcessHost, disk: SimulatedDisk) {
    self.life = life
    self.host = host
    self.simulatedDisk = disk
  }

  /// Whether the process lives.
  public var isAlive: Bool { life.isAlive }

  /// The disk as this process sees it.
  public var disk: ProcessDisk { ProcessDisk(life: life, disk: simulatedDisk) }

  /// Runs code of the app in this process and waits for its result.
  ///
  /// When the process is killed first, the code is left where it is, and this call throws at once.
  ///
  /// - Parameter body: The code.
  /// - Returns: What the code returns.
  /// - Throws: What the code throws, or ``DeviceError`` with `processKilled`.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let code = Mutex<Task<Void, Never>?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Value, any Error>) in
        let killed = DeviceError(.processKilled, "the app process was killed")
        let watch = life.onKill { continuation.resume(throwing: killed) }
        guard let watch else { return continuation.resume(throwing: killed) }
        let task = start { [life] in
          let result: Result<Value, any Error>
          do {
            result = .success(try await body())
          } catch {
            result = .failure(error)
          }
          if life.endWatch(watch) { continuation.resume(with: result) }
        }
        code.withLock { $0 = task }
        if Task.isCancelled { task.cancel() }
      }
    } onCancel: {
      code.withLock { $0?.cancel() }
    }
  }

  /// Starts code of the app in this process without waiting for it.
  ///
  /// - Parameter body: The code.
  /// - Returns: The task; never ends when the process is killed while the code waits for the store.
  @discardableResult
  public func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    StoreHostBinding.bind(host) {
      Task { [life] in
        await life.passOrHang()
        await body()
      }
    }
  }

  /// Whether the process lives and none of its code runs.
  public var isSuspended: Bool { life.isAlive && life.isSuspended }

  /// Kills the process: nothing of it happens any more.
  public func kill() { life.kill() }

  /// Plans the kill for when the process passes a step.
  ///
  /// - Parameters:
  ///   - step: Where.
  ///   - occurrence: At which passing from now on; 1 is the next.
  public func kill(at step: KillStep, occurrence: Int = 1) {
    life.kill(at: step, occurrence: occurrence)
  }

  /// How often the process has passed a step, the deadly time included.
  public func passCount(_ step: KillStep) -> Int { life.passCount(step) }

  /// Passes a step; when the process ends there, or has ended, this never returns.
  ///
  /// - Parameter step: Where the app's code is.
  public func pass(_ step: KillStep) async { await life.passOrHang(step) }

  /// Has an effect outside of the process, for example a call over the network: a dead process does
  /// not begin it, and never hears how it ended.
  ///
  /// - Parameters:
  ///   - before: A step that is passed before the effect begins.
  ///   - after: A step that is passed before the app hears of its end.
  ///   - effect: What happens.
  /// - Returns: What the effect returns.
  /// - Throws: What the effect throws.
  public func guarded<Value: Sendable, Failure: Error>(
    before: KillStep? = nil,
    after: KillStep? = nil,
    _ effect: @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    await life.passOrHang(before)
    let result: Result<Value, Failure>
    do throws(Failure) {
      result = .success(try await effect())
    } catch {
      result = .failure(error)
    }
    await life.passOrHang(after)
    return try result.get()
  }

  /// Calls the closure when the process ends; at once when it has ended.
  ///
  /// - Parameter watch: Gets the step at which the process was to die; nil when it was killed
  ///   otherwise.
  package func onKill(_ watch: @escaping @Sendable (KillStep?) -> Void) {
    if life.onKill({ [life] in watch(life.deathStep) }) == nil { watch(life.deathStep) }
  }

  /// Waits until the process ends.
  public func waitUntilKilled() async {
    await withCheckedContinuation { continuation in
      if life.onKill({ continuation.resume() }) == nil { continuation.resume() }
    }
  }

  /// The person comes back to the app: the app is told, and StoreKit 1 looks for transactions that
  /// it has not announced.
  public func enterForeground() { host.enterForeground() }

  /// Calls the closure on the main actor, as code of this process, each time that the person comes
  /// back to the app.
  ///
  /// - Parameter callback: What the app does.
  public func onForeground(_ callback: @escaping @MainActor @Sendable () -> Void) {
    host.onForeground(callback)
  }
}
