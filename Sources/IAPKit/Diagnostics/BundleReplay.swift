import Foundation
package import IAPModel

/// Decides again what a support bundle says was decided, with the reducer that ships in apps.
package struct BundleReplay: Hashable, Sendable {
  /// Why bytes are no bundle that can be replayed.
  package enum Refusal: Hashable, Sendable {
    /// They are no JSON object.
    case notJSON
    /// They are JSON of another kind.
    case foreign
    /// They were written by a newer client, with this version of the format.
    case newer(Int)
    /// They say to be a bundle and lack something, or have it in another form.
    case damaged
  }

  /// What came of reading bytes.
  package enum Outcome: Hashable, Sendable {
    case replayed(BundleReplay)
    case refused(Refusal)
  }

  /// One event, and what came of it here.
  package struct Line: Hashable, Sendable {
    package let event: DiagnosticEvent
    /// How far the transaction was after it; nil when it was no decision.
    package var state: RecordState?
  }

  /// Where a transaction stands.
  package struct Standing: Hashable, Sendable {
    package let transaction: TransactionID
    package let product: ProductID
    /// By the replay; nil when nothing about it could be replayed.
    package let replayed: RecordState?
    /// By the device's own journal; nil when that did not have it.
    package let recorded: RecordState?
    /// What the replay found otherwise than the journal.
    package let differences: [Difference]
  }

  /// One thing that the replay found otherwise.
  package struct Difference: Hashable, Sendable {
    package let what: String
    package let replayed: String
    package let recorded: String
  }

  package let bundle: SupportBundle
  package private(set) var lines: [Line] = []
  package private(set) var standings: [Standing] = []
  /// Decisions that could not be made again, because what came before them was let go.
  package private(set) var skipped = 0

  /// Reads a bundle and replays it.
  ///
  /// - Parameter bytes: The bundle.
  /// - Returns: The replay, or why there is none.
  package static func run(_ bytes: [UInt8]) -> Outcome {
    guard let object = try? JSONParser.parseObject(bytes, limits: .document) else {
      return .refused(.notJSON)
    }
    guard object["format"]?.stringValue == SupportBundle.format else { return .refused(.foreign) }
    guard let version = object["version"]?.integerValue, version > 0 else {
      return .refused(.damaged)
    }
    guard version <= SupportBundle.version else { return .refused(.newer(Int(version))) }
    guard let bundle = RecordCoding.decode(SupportBundle.self, bytes) else {
      return .refused(.damaged)
    }
    var replay = BundleReplay(bundle: bundle)
    replay.run()
    return .replayed(replay)
  }

  private init(bundle: SupportBundle) { self.bundle = bundle }

  private mutating func run() {
    var records: [TransactionID: TransactionRecord] = [:]
    var earlier: [TransactionID: TransactionRecord] = [:]
    for event in bundle.events {
      guard let id = event.transaction, let step = event.step else {
        lines.append(Line(event: event, state: nil))
        continue
      }
      if let before = step.before { records[id] = before }
      if let happened = step.event {
        earlier[id] = records[id]
        let context = step.context(at: event.date, launch: event.launch, policies: bundle.policies)
        let next = DeliveryReducer.reduce(records[id], happened.event, context)
        if next == nil { skipped += 1 }
        records[id] = next?.record ?? records[id]
      } else {
        records[id] = earlier[id]
      }
      lines.append(Line(event: event, state: records[id]?.state))
    }
    let recorded = Dictionary(
      bundle.records.map { ($0.transaction.transactionID, $0) }
    ) { first, _ in first }
    standings = Set(records.keys).union(recorded.keys).sorted().compactMap { id in
      Standing(id, replayed: records[id], recorded: recorded[id])
    }
  }
}

extension BundleReplay.Standing {
  fileprivate init?(
    _ id: TransactionID,
    replayed: TransactionRecord?,
    recorded: TransactionRecord?
  ) {
    guard let known = recorded ?? replayed else { return nil }
    transaction = id
    product = known.transaction.productID
    self.replayed = replayed?.state
    self.recorded = recorded?.state
    guard let replayed, let recorded else {
      differences = []
      return
    }
    let pairs: [(String, (TransactionRecord) -> String)] = [
      ("state", { $0.state.rawValue }),
      ("quarantine", { $0.quarantine?.rawValue ?? "-" }),
      ("rejections", { "\($0.rejections)" }),
      ("acknowledged", { $0.acknowledged.joined(separator: " ") }),
      ("finished", { "\($0.isFinished)" }),
      ("order", { $0.orderNumber ?? "-" }),
    ]
    differences = pairs.compactMap { what, value in
      let (mine, theirs) = (value(replayed), value(recorded))
      return mine == theirs
        ? nil : BundleReplay.Difference(what: what, replayed: mine, recorded: theirs)
    }
  }
}
