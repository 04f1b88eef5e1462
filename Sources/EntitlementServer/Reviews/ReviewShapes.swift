import Foundation
import IAPModel
import ServerStorage

/// What reports, decisions and cases look like on the wire.
enum ReviewShapes {
  private static let states = Shape.word(ReviewRecord.State.allCases.map(\.rawValue))

  /// The members of a report that are kept.
  static let reportMembers = [
    "transactionId", "productId", "reason", "attempts", "lastError", "orderNumber",
    "signedTransaction", "receipt", "account", "installation", "quantity", "purchaseDate",
    "contactReference", "context",
  ]
  /// How many bytes one text of an order's context has at most, and how many texts it has.
  private static let contextMax = 16_384
  /// The members that show a purchase; a list leaves them out.
  private static let evidenceMembers: Set = ["signedTransaction", "receipt"]

  static func report(_ limits: ServerLimits) -> Shape {
    .object([
      .required("transactionId", .text(max: limits.transactionIDBytesMax)),
      .required("productId", .text(max: limits.productIDBytesMax)),
      .required("reason", .text(max: limits.textBytesMax)),
      .required("attempts", .integer(0...1_000_000)),
      .optional("lastError", .text(max: limits.textBytesMax)),
      .optional("orderNumber", .uuid),
      .optional("signedTransaction", .text(max: limits.bodyBytesMax)),
      .optional("receipt", .text(max: limits.bodyBytesMax)),
      .optional("account", .text(max: limits.accountBytesMax)),
      .optional("installation", .text(max: limits.installationBytesMax)),
      .optional("quantity", .integer(1...10)), .optional("purchaseDate", .date),
      .optional("contactReference", .text(max: 64)),
      .optional("context", .map(.text(max: contextMax), max: contextMax)),
    ])
  }

  static func decision(_ limits: ServerLimits) -> Shape {
    .object([
      .required("action", .word(ReviewAction.allCases.map(\.rawValue))),
      .optional("note", .text(max: limits.textBytesMax)),
    ])
  }

  static let outcome = Shape.object([.required("id", .text(max: 256)), .required("state", states)])

  static let review = Shape.object([
    .required("id", .text(max: 256)), .required("kind", .text(max: 64)),
    .required("state", states), .required("openedDate", .date),
    .optional("transactionId", .text(max: 64)), .optional("productId", .text(max: 256)),
    .optional("reason", .text(max: 2000)), .optional("note", .text(max: 2000)),
    .optional("decidedBy", .text(max: 64)), .optional("decidedDate", .date),
  ])

  static func outcome(_ record: ReviewRecord) -> JSONObject {
    ["id": .string(record.id.rawValue), "state": .string(record.state.rawValue)]
  }

  static func answer(_ record: ReviewRecord, isWhole: Bool) -> JSONObject {
    var answer: JSONObject = [
      "id": .string(record.id.rawValue), "kind": .string(record.kind.rawValue),
      "state": .string(record.state.rawValue),
      "openedDate": .integer(record.openedDate.milliseconds),
    ]
    for member in record.details.members where isWhole || !evidenceMembers.contains(member.name) {
      answer[member.name] = member.value
    }
    return answer
  }

  /// What delivering a case about an owner does: who presented the purchase gets it.
  static func transfer(_ record: ReviewRecord, at now: Date) -> [OwnershipRequest] {
    guard record.kind == .ownership, let account = record.details["account"]?.stringValue,
      let environment = record.details["environment"]?.stringValue,
      let original = record.details["originalTransactionId"]?.stringValue
    else { return [] }
    let scope = LedgerScope(
      app: record.app,
      environment: StoreEnvironment(rawValue: environment)
    )
    return [
      OwnershipRequest(
        subject: LedgerSubject(scope: scope, original: OriginalTransactionID(original)),
        customer: CustomerID(account),
        date: now,
        policy: .decided
      )
    ]
  }
}
