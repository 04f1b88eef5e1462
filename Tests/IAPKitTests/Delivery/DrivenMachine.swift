import Foundation
import IAPKit
import IAPModel
import Testing

/// One machine, driven by hand: every action is written down, saves are taken as done.
struct DrivenMachine {
  var record: TransactionRecord?
  var now = Date(timeIntervalSince1970: 1_700_000_000)
  var launch = 1
  var installation: InstallationID? = "here"
  var quarantine = QuarantinePolicy()
  var isDeliveryOpen = true
  var hasJudge = false
  var hasTaker = true
  var hasCaller = false
  var known: Set<String> = []

  mutating func feed(_ event: DeliveryEvent) -> [String] {
    let known = known
    let context = DeliveryContext(
      now: now,
      random: 0,
      launch: launch,
      installation: installation,
      quarantine: quarantine,
      isDeliveryOpen: isDeliveryOpen,
      hasJudge: hasJudge,
      hasTaker: hasTaker,
      hasCaller: hasCaller,
      isKnown: { known.contains($0) }
    )
    guard let next = DeliveryReducer.reduce(record, event, context) else { return ["nothing"] }
    let saves = next.actions.contains { if case .save = $0 { true } else { false } }
    #expect(saves || next.record == record, "a change that is not saved would be lost")
    record = next.record
    self.known.formUnion(next.record.acknowledged)
    return next.actions.map { actionWord($0, now) }
  }

  /// Follows the machine along the way of a purchase that everybody agrees to.
  mutating func deliver(_ transaction: StoreTransaction) {
    _ = feed(.arrived(transaction, order: nil))
    _ = feed(.verdict(.accepted(nil)))
    guard record?.state == .accepted, let due else { return }
    _ = feed(.answered(.delivered, due))
    _ = feed(.storeAnswered(.finished))
  }

  var due: DueEffect? {
    record.flatMap { record in DueEffect.of(record) { known.contains($0) } }
  }
  var state: RecordState? { record?.state }
}

func actionWord(_ action: DeliveryAction, _ now: Date) -> String {
  switch action {
  case .save: "save"
  case .validate: "validate"
  case .reverify: "reverify"
  case .deliver(let due): "deliver \(due.key)"
  case .acknowledge: "acknowledge"
  case .finish: "finish"
  case .retry(let date): "retry in \(Int(date.timeIntervalSince(now)))"
  case .report: "report"
  case .emit(.saved): "tell saved"
  case .emit(.held): "tell held"
  case .emit(.quarantined): "tell quarantined"
  case .emit(.finished): "tell finished"
  case .emit(.accepted): "tell accepted"
  case .emit(.rejected): "tell rejected"
  case .emit(.ready(let kind)): "tell ready \(kind)"
  }
}

let explicitRefusal = DeliveryVerdict.rejected(
  ReceiptValidationResult(
    isValid: false,
    reasons: [RejectionReason(rule: "bundle", reason: "another app")]
  )
)
