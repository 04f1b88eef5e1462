internal import HTTPValues

/// The number of one request.
typealias TransferTicket = UInt64

/// What comes of a request.
typealias TransferResult = Result<HTTPResponse, HTTPClientError>

/// One request that waits for its response.
struct TransferJob: Sendable {
  let ticket: TransferTicket
  let request: HTTPOutgoingRequest
  let continuation: CheckedContinuation<TransferResult, Never>
}
