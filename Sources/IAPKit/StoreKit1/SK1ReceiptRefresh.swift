import Foundation
import StoreKit

/// Asks the store for a new receipt, one request at a time: whoever asks meanwhile joins.
final class SK1ReceiptRefresh: Sendable {
  private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

  init() {}

  /// Returns when the store has answered, whatever it said: the receipt tells.
  func run() async {
    await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        waiting.append(continuation)
        return waiting.count == 1
      }
      guard isFirst else { return }
      SK1ReceiptRun.start { [waiting] in
        let all = waiting.withLock { waiting in
          defer { waiting = [] }
          return waiting
        }
        for continuation in all { continuation.resume() }
      }
    }
  }
}

/// One refresh request, alive from its start to its answer.
private final class SK1ReceiptRun: NSObject, SKRequestDelegate {
  private let request = SKReceiptRefreshRequest(receiptProperties: nil)
  private let end: @Sendable () -> Void
  /// StoreKit holds the delegate weakly: the run keeps itself until it has answered.
  private var itself: SK1ReceiptRun?

  private init(end: @escaping @Sendable () -> Void) {
    self.end = end
    super.init()
    request.delegate = self
    itself = self
  }

  static func start(end: @escaping @Sendable () -> Void) {
    SK1ReceiptRun(end: end).request.start()
  }

  func requestDidFinish(_ request: SKRequest) { finish() }

  func request(_ request: SKRequest, didFailWithError error: any Error) { finish() }

  private func finish() {
    guard itself != nil else { return }
    itself = nil
    end()
  }
}
