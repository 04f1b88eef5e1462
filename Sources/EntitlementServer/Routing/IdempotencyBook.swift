import Foundation
import HTTPValues
import IAPModel
import ServerStorage

/// Keeps what was asked under an `Idempotency-Key`, so that a request that is sent again changes
/// nothing again and one that is another is noticed.
///
/// The name is taken, durably, before the route runs. Should the process end in between, the same
/// request runs again: every route is written so that it does the same then.
struct IdempotencyBook: Sendable {
  let parts: ServerParts

  /// The longest name, in bytes.
  static let keyBytesMax = 255
  /// How long a name is remembered, in seconds.
  static let memorySeconds: TimeInterval = 7 * 86_400

  private static let header = "Idempotency-Key"

  func answer(_ call: Call) async throws(ServerError) -> Reply {
    guard call.route.repetition != .reads, let name = call.request.headers[Self.header] else {
      return try await call.route.run(call)
    }
    guard (1...Self.keyBytesMax).contains(name.utf8.count) else {
      throw RequestMembers.invalid(Self.header, "1 to \(Self.keyBytesMax) bytes long")
    }
    var call = call
    let key = key(name, call)
    call.naming = parts.verifiers.digest(Array("naming:\(key.name)".utf8))
    let parameters = parameters(call)
    let write = DocumentWrite(key, body: ["parameters": .string(parameters)], condition: .ifAbsent)
    guard case .kept(let known?) = try await commit(write, call) else {
      return try await run(call, key, parameters)
    }
    guard known.body["parameters"]?.stringValue == parameters else {
      throw ServerError(
        409,
        .conflict,
        .idempotencyKeyReused,
        "This Idempotency-Key came with another request before: take a new one.",
        parameter: Self.header
      )
    }
    if let status = known.body["status"]?.integerValue,
      let answer = known.body["answer"]?.objectValue
    {
      return .object(Int(status), answer, headers: ["Idempotent-Replayed": "true"])
    }
    return try await run(call, key, parameters)
  }

  private func run(
    _ call: Call,
    _ key: DocumentKey,
    _ parameters: String
  ) async throws(ServerError) -> Reply {
    let reply = try await call.route.run(call)
    if call.route.repetition == .replayed, case .object(let status, let answer, _) = reply {
      let body: JSONObject = [
        "parameters": .string(parameters), "status": .integer(Int64(status)),
        "answer": .object(answer),
      ]
      _ = try await commit(DocumentWrite(key, body: body, condition: .always), call)
    }
    return reply
  }

  private func commit(
    _ document: DocumentWrite,
    _ call: Call
  ) async throws(ServerError) -> DocumentOutcome? {
    var write = LedgerWrite(date: call.now)
    write.documents = [document]
    write.pruning = [
      DocumentPruning(.idempotency, changedBefore: call.now.addingTimeInterval(-Self.memorySeconds))
    ]
    return try await parts.commit(write).documents.first
  }

  /// A name belongs to who gave it: another key, customer or route has names of its own.
  private func key(_ name: String, _ call: Call) -> DocumentKey {
    let words = [
      call.caller.auditName, call.customer?.customer.rawValue ?? "", call.route.method.rawValue,
      call.route.path, name,
    ]
    return DocumentKey(.idempotency, app: call.caller.app, name: digest(words))
  }

  /// What has to be the same when a request is sent again.
  private func parameters(_ call: Call) -> String {
    digest([call.request.target, String(decoding: call.request.body, as: UTF8.self)])
  }

  private func digest(_ words: [String]) -> String {
    let bytes = words.flatMap { word in Array("\(word.utf8.count):".utf8) + Array(word.utf8) }
    return Hexadecimal.text(parts.verifiers.digest(bytes))
  }
}
