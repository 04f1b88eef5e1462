import Foundation
import IAPEntitlements
import IAPModel
import IAPSignatures
import ServerStorage

/// Writes the answer to `POST /v1/verify`.
enum VerifyAnswer {
  static let shape = Shape.object([
    .required("verdict", .word(["accepted", "rejected"])), .required("isValid", .bool),
    .optional("productId", .text(max: 256)), .optional("expiresDate", .date),
    .optional("transactionId", .text(max: 64)),
    .optional("originalTransactionId", .text(max: 64)),
    .optional("environment", .text(max: 64)), .optional("productType", .text(max: 64)),
    .optional("purchaseDate", .date), .optional("revocationDate", .date),
    .optional("reversedRevocationDate", .date), .optional("unit", .text(max: 256)),
    .optional(
      "grant",
      .object([
        .required("unit", .text(max: 256)), .required("count", .count),
        .required("quantity", .count),
      ])
    ),
    .optional("claimedBy", .text(max: 128)), .optional("acknowledged", .bool),
    .optional("belongsToAnother", .bool), .optional("accountProven", .bool),
    .optional("review", .text(max: 256)),
    .optional("entitlements", .list(CustomerAnswer.entitlement, max: 10_000)),
    .optional("customerToken", .text(max: CustomerTokens.bytesMax)),
    .optional(
      "reasons",
      .list(
        .object([
          .required("part", .text(max: 64)), .required("rule", .text(max: 64)),
          .required("reason", .text(max: 2000)),
        ]),
        max: 1000
      )
    ),
  ])

  static func rejected(_ failures: [RuleFailure]) -> JSONObject {
    [
      "verdict": "rejected",
      "isValid": false,
      "reasons": .array(
        failures.map { failure in
          [
            "part": .string(failure.part.rawValue), "rule": .string(failure.rule.rawValue),
            "reason": .string(failure.reason),
          ]
        }
      ),
    ]
  }

  static func accepted(
    _ proof: PurchaseProof,
    _ findings: PurchaseFindings,
    at now: Date,
    catalog: EntitlementCatalog,
    customerToken: String?,
    isUnproven: Bool = false
  ) -> JSONObject {
    let state = findings.history.transaction(proof.transaction.transactionID)
    let payload = state?.payload ?? proof.transaction
    let unit = state?.unit.flatMap { findings.history.unit($0) }
    var answer = AnswerMembers()
    answer.add("verdict", .string("accepted"))
    answer.add("isValid", .bool(true))
    answer.add("productId", .string(payload.productID.rawValue))
    answer.add("expiresDate", payload.expiresDate)
    answer.add("transactionId", .string(payload.transactionID.rawValue))
    answer.add("originalTransactionId", .string(payload.originalTransactionID.rawValue))
    answer.add("environment", .string(proof.scope.environment.rawValue))
    answer.add("productType", payload.type?.rawValue)
    answer.add("purchaseDate", payload.purchaseDate)
    if let state, state.isRevoked {
      answer.add("revocationDate", unit?.revocationDate ?? payload.revocationDate)
    } else if let unit, unit.isActive {
      // What was taken back then is the customer's again.
      answer.add("reversedRevocationDate", unit.revocationDate)
    }
    answer.add("unit", unit?.unit.rawValue)
    if let unit {
      answer.add(
        "grant",
        [
          "unit": .string(unit.unit.rawValue), "count": .integer(Int64(findings.grantCount)),
          "quantity": .integer(Int64(unit.quantity)),
        ]
      )
    }
    answer.add("claimedBy", findings.claim?.installation.rawValue)
    if findings.claim?.acknowledgedDate != nil { answer.add("acknowledged", .bool(true)) }
    if isUnproven { answer.add("accountProven", .bool(false)) }
    if findings.belongsToAnother { answer.add("belongsToAnother", .bool(true)) }
    let report = findings.accessHistory.access(at: now, catalog: catalog)
    answer.add("entitlements", .array(report.entitlements.map(AnswerMembers.entitlement)))
    answer.add("customerToken", customerToken)
    return answer.object
  }
}
