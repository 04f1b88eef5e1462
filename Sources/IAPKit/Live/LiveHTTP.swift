import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The device's network.
///
/// A redirect is not followed: it would carry the app's key and its receipts to another host, and
/// the page of a gateway is no answer. A call that takes longer than it may, as a whole, is given
/// up, and so is one whose answer is longer than it may be.
final class LiveHTTP: NSObject, URLSessionDataDelegate {
  /// What one call has got so far.
  private struct Call {
    let continuation: CheckedContinuation<ClientResponse, any Error>
    let bytesMax: Int
    var body: [UInt8] = []
    var isTooLong = false
  }

  /// A way to make calls.
  struct Network: Sendable {
    fileprivate let delegate: LiveHTTP
    fileprivate let session: URLSession

    /// Makes one call, which ends with its answer or with the cancelling of its task.
    func answer(to call: ClientRequest) async throws -> ClientResponse {
      var request = URLRequest(url: call.url, timeoutInterval: call.timeout)
      request.httpMethod = call.method
      request.cachePolicy = .reloadIgnoringLocalCacheData
      for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
      if !call.body.isEmpty { request.httpBody = Data(call.body) }
      let task = session.dataTask(with: request)
      // The session's own limit begins anew with every byte that drips in.
      let deadline = Task {
        try await Task.sleep(nanoseconds: UInt64(max(0, call.timeout) * 1_000_000_000))
        task.cancel()
      }
      defer { deadline.cancel() }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          delegate.begin(task, Call(continuation: continuation, bytesMax: call.answerBytesMax))
        }
      } onCancel: {
        task.cancel()
      }
    }
  }

  static let network: Network = {
    let delegate = LiveHTTP()
    return Network(
      delegate: delegate,
      session: URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    )
  }()

  private let calls = Locked<[Int: Call]>([:])

  private func begin(_ task: URLSessionDataTask, _ call: Call) {
    calls.withLock { $0[task.taskIdentifier] = call }
    task.resume()
  }

  // MARK: From the session

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = calls.withLock { calls in
      guard var call = calls.removeValue(forKey: dataTask.taskIdentifier) else { return false }
      call.isTooLong = call.isTooLong || call.body.count + data.count > call.bytesMax
      if !call.isTooLong { call.body += data }
      calls[dataTask.taskIdentifier] = call
      return call.isTooLong
    }
    if isTooLong { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let call = calls.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    call.continuation.resume(with: Self.result(call, task.response, error))
  }

  private static func result(
    _ call: Call,
    _ response: URLResponse?,
    _ error: (any Error)?
  ) -> Result<ClientResponse, any Error> {
    if call.isTooLong {
      return .failure(ServerAnswer.problem("the answer is too long", status: 0))
    }
    if let error { return .failure(IAPError.network(underlying: error)) }
    guard let response = response as? HTTPURLResponse else {
      return .failure(ServerAnswer.problem("the answer is not HTTP", status: 0))
    }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      headers["\(name)".lowercased()] = "\(value)"
    }
    return .success(
      ClientResponse(status: response.statusCode, headers: headers, body: call.body)
    )
  }
}
