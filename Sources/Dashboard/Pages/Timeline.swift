import Foundation
import HTTPValues
import IAPEntitlements
import IAPModel
import ServerStorage

/// Every fact and decision about a purchase or a customer, the newest first.
struct Timeline {
  struct Entry {
    let date: Date
    let mark: Mark
    let title: Words
    var detail: [Markup] = []
    /// What decides between entries of one instant: what was said comes before what follows.
    var rank = 0
  }

  /// The most entries that are shown at once.
  static let entriesMax = 300

  let visit: Visit
  private(set) var entries: [Entry] = []

  init(_ visit: Visit) { self.visit = visit }

  private var viewer: Viewer { visit.viewer }

  mutating func add(_ entry: Entry) { entries.append(entry) }

  mutating func add(_ facts: some Sequence<StoreFact>) {
    // The same is often said twice: by the app's evidence and by a notification.
    var said: Set<TransactionPayload> = []
    for fact in facts.sorted(by: { $0.signedDate < $1.signedDate }) {
      if var payload = fact.transaction {
        payload.signedDate = nil
        guard said.insert(payload).inserted else { continue }
      }
      switch fact {
      case .transaction(let payload): add(payload, isReceipt: false)
      case .receiptLine(let payload): add(payload, isReceipt: true)
      case .renewal(let payload): add(payload)
      case .notification(let context): add(context)
      }
    }
  }

  private mutating func add(_ payload: TransactionPayload, isReceipt: Bool) {
    let title: Words
    var mark = Mark.info
    if payload.revocationDate != nil {
      title = Words("The App Store says: taken back", zh: "App Store：已收回")
      mark = .bad
    } else if isReceipt {
      title = Words("A receipt says: bought", zh: "收据：已购买")
    } else if payload.transactionReason == .renewal {
      title = Words("The App Store says: renewed", zh: "App Store：已续订")
    } else {
      title = Words("The App Store says: bought", zh: "App Store：已购买")
    }
    var detail: [Markup] = [
      .code(payload.productID.rawValue), " · ", .code(payload.transactionID.rawValue),
    ]
    if let price = payload.price { detail += [" · ", .text(viewer.money(price))] }
    if let offer = payload.offerType { detail += [" · ", visit.say(offer.words)] }
    if payload.ownershipType == .familyShared {
      detail += [" · ", visit.say("shared by the family", zh: "家人共享")]
    }
    if let end = payload.expiresDate {
      detail += [" · ", visit.say("until ", zh: "至 "), .time(end, viewer)]
    }
    let date = payload.signedDate ?? payload.revocationDate ?? payload.purchaseDate
    add(Entry(date: date, mark: mark, title: title, detail: detail, rank: 1))
  }

  private mutating func add(_ payload: RenewalInfoPayload) {
    let title: Words
    switch payload.willAutoRenew {
    case true?: title = Words("It will renew", zh: "将自动续订")
    case false?: title = Words("It will not renew", zh: "不会自动续订")
    case nil: title = Words("Renewal information", zh: "续订信息")
    }
    var detail: [Markup] = []
    if let next = payload.autoRenewProductID, next != payload.productID {
      detail += [visit.say("next plan ", zh: "下一期方案 "), .code(next.rawValue), " "]
    }
    if let end = payload.gracePeriodExpiresDate {
      detail += [visit.say("grace until ", zh: "宽限至 "), .time(end, viewer)]
    }
    if payload.isInBillingRetryPeriod == true {
      detail.append(visit.say("the charge is tried again", zh: "正在重试扣款"))
    }
    add(
      Entry(
        date: payload.signedDate ?? .distantPast,
        mark: payload.willAutoRenew == false ? .warn : .info,
        title: title,
        detail: detail,
        rank: 1
      )
    )
  }

  private mutating func add(_ context: NotificationContext) {
    var detail: [Markup] = []
    if let subtype = context.subtype { detail += [visit.say(subtype.words), " · "] }
    detail.append(.code(context.uuid.rawValue))
    add(
      Entry(
        date: context.signedDate ?? .distantPast,
        mark: .info,
        title: Words(
          "Notification: \(context.type.words(.english))",
          zh: "通知：\(context.type.words(.simplifiedChinese))"
        ),
        detail: detail
      )
    )
  }

  mutating func add(_ records: [GrantRecord]) {
    for record in records {
      add(
        Entry(
          date: record.recordedDate,
          mark: record.entry.kind.mark,
          title: record.entry.kind.words,
          detail: [
            .code(record.productID.rawValue), .text(" × \(record.quantity) · "),
            .code(record.entry.key),
          ],
          rank: 2
        )
      )
    }
  }

  mutating func add(_ events: [EventRecord]) {
    // What was granted stands here as an entry already.
    let told: Set<EventType> = [.granted, .renewed, .clawedBack, .regranted]
    for event in events where !told.contains(event.type) {
      add(
        Entry(
          date: event.createdDate,
          mark: Self.mark(event),
          title: event.type.words,
          detail: detail(event),
          rank: 3
        )
      )
    }
  }

  private static func mark(_ event: EventRecord) -> Mark {
    switch event.type {
    case .entitlementsChanged:
      (event.data["lost"]?.arrayValue ?? []).isEmpty ? .good : .bad
    case .orderDelivered: .good
    case .conflict, .orderQuarantined, .reviewOpened: .warn
    case .refunded: .bad
    default: .info
    }
  }

  private func detail(_ event: EventRecord) -> [Markup] {
    func list(_ name: String) -> [String] {
      (event.data[name]?.arrayValue ?? []).compactMap(\.stringValue)
    }
    var detail: [Markup] = []
    switch event.type {
    case .entitlementsChanged:
      for name in list("gained") {
        detail += [visit.say("gained ", zh: "获得 "), .code(name), " "]
      }
      for name in list("lost") { detail += [visit.say("lost ", zh: "失去 "), .code(name), " "] }
    case .subscriptionChanged:
      let state = event.data["state"]?.stringValue
        .flatMap { SubscriptionState.Phase(rawValue: $0) }
      if let state { detail += [visit.say(state.words), " – "] }
      if let reason = event.data["reason"]?.stringValue {
        detail.append(visit.say(SubscriptionState.Reason(rawValue: reason).words))
      }
    default:
      for name in ["productId", "transactionId", "reason", "review"] {
        if let text = event.data[name]?.stringValue { detail += [.code(text), " "] }
      }
    }
    return detail
  }

  mutating func add(_ claim: ClaimRecord, of unit: UnitID) {
    guard let date = claim.acknowledgedDate else {
      add(
        Entry(
          date: claim.date,
          mark: .warn,
          title: Words("Claimed by a device, not handed over yet", zh: "设备已认领，尚未交付"),
          detail: [.code(claim.installation.rawValue), " · ", .code(unit.rawValue)],
          rank: 3
        )
      )
      return
    }
    add(
      Entry(
        date: date,
        mark: .good,
        title: Words("A device says: handed over", zh: "设备确认：已交付"),
        detail: [.code(claim.installation.rawValue), " · ", .code(unit.rawValue)],
        rank: 4
      )
    )
  }

  mutating func add(_ review: ReviewRecord) {
    let target = visit.link("/dashboard/review", [("id", review.id.rawValue)])
    add(
      Entry(
        date: review.openedDate,
        mark: .warn,
        title: Words("A case for people was opened", zh: "建立待审案例"),
        detail: [.link(target, [visit.say(review.kind.words)])],
        rank: 3
      )
    )
    guard review.state != .open,
      let decided = review.details["decidedDate"]?.integerValue
    else { return }
    add(
      Entry(
        date: Date(milliseconds: decided),
        mark: review.state.mark,
        title: Words(
          "A person decided: \(review.state.words(.english).lowercased())",
          zh: "人工裁决：\(review.state.words(.simplifiedChinese))"
        ),
        detail: [
          .link(target, [visit.say("The case", zh: "查看案例")]), " · ",
          .foreign(review.details["decidedBy"]?.stringValue ?? ""),
        ],
        rank: 4
      )
    )
  }

  var markup: Markup {
    let sorted = entries.sorted { ($1.date, $1.rank) < ($0.date, $0.rank) }
    guard !sorted.isEmpty else {
      return .empty(
        viewer(Words("Nothing happened yet", zh: "暂无记录")),
        viewer(
          Words("Facts and decisions will stand here.", zh: "事实与裁决会显示在这里。")
        )
      )
    }
    let items = sorted.prefix(Self.entriesMax).map { entry in
      Markup.element(
        "li",
        [],
        [
          entry.date == .distantPast
            ? .span("muted small", [visit.say("date unknown", zh: "日期未知")])
            : .time(entry.date, viewer, exactly: true),
          entry.mark.markup,
          .div(
            "said",
            [
              .p([.element("strong", [], [visit.say(entry.title)])]),
              .p(entry.detail, "small muted"),
            ]
          ),
        ]
      )
    }
    let rest = sorted.count - items.count
    return .many([
      .element("ol", [.class("timeline")], Array(items)),
      rest > 0
        ? .p(
          [
            visit.say(
              "\(rest) older entries are not shown.",
              zh: "另有 \(rest) 条更早的记录未显示。"
            )
          ],
          "muted small"
        ) : .nothing,
    ])
  }
}
