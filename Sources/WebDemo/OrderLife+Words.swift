import AppStoreSimulator
import Foundation
import IAPKit
import IAPModel

extension OrderLife.Step {
  /// What the client's journal noted; nil for what only repeats.
  init?(_ event: DiagnosticEvent) {
    let word = event.name.rawValue
    guard let text = Self.journal[word]?(event.details) else { return nil }
    self.init(date: event.date, lane: .app, word: word, text: text)
    isTrouble = Self.troubles.contains(word)
    isGood = Self.goods.contains(word)
  }

  /// The app was started again between two steps.
  static func relaunched(at date: Date) -> Self {
    Self(
      date: date,
      lane: .app,
      word: "launched",
      text: Words(
        "The app was started again and reads its journal.",
        zh: "App 重新启动，读取日志继续处理。"
      )
    )
  }

  /// The store announced something that was known.
  static func arrivedAgain(at date: Date) -> Self {
    Self(
      date: date,
      lane: .app,
      word: "arrived",
      text: Words(
        "It was announced again. Known already: nothing is handed over twice.",
        zh: "商店再次通知。日志中已有记录，不会重复交付。"
      )
    )
  }

  private static let troubles: Set = [
    "unanswered", "rejected", "staleReceipt", "postponed", "refused", "order.failed",
    "order.quarantined", "order.refused", "undone",
  ]
  private static let goods: Set = ["delivered", "finished", "order.delivered"]

  private typealias Text = @Sendable ([String: String]) -> Words

  private static func fixed(_ english: String, zh chinese: String) -> Text {
    { _ in Words(english, zh: chinese) }
  }

  private static let journal: [String: Text] = orders.merging(transactions) { one, _ in one }

  private static let orders: [String: Text] = [
    "order.opened": fixed(
      "Order written to the journal, before the sheet opens.",
      zh: "付款面板打开前，订单已写入日志。"
    ),
    "order.pending": fixed("Waits for a parent's answer.", zh: "等待家长答复。"),
    "order.paid": fixed("The order is paid.", zh: "订单已付款。"),
    "order.delivered": fixed("The order is complete.", zh: "订单完成。"),
    "order.cancelled": fixed("Closed without paying.", zh: "未付款即关闭。"),
    "order.failed": fixed("The payment failed. Nothing was charged.", zh: "付款失败，未扣款。"),
    "order.scheduled": fixed("The plan changes with the next renewal.", zh: "下次续订时变更方案。"),
    "order.quarantined": fixed("Set aside for a person to look at.", zh: "已隔离，等待人工处理。"),
    "order.refused": fixed("The app refused to hand it over.", zh: "App 拒绝交付。"),
  ]

  private static let transactions: [String: Text] = [
    "arrived": { details in
      switch details["source"] {
      case "restore":
        Words("A restored purchase arrived and was saved.", zh: "恢复的购买已到达并保存。")
      default: Words("The transaction arrived and was saved.", zh: "交易到达并已保存。")
      }
    },
    "accepted": fixed("The server says that it is genuine.", zh: "服务器确认交易真实。"),
    "rejected": fixed("The server refused it; it is asked again.", zh: "服务器拒绝；稍后再次询问。"),
    "unanswered": fixed(
      "No answer from the server. Not a no: it is asked again.",
      zh: "服务器没有回答。没有回答不等于拒绝，稍后再问。"
    ),
    "staleReceipt": fixed("The receipt was too old; a new one is fetched.", zh: "收据过旧，正在更新。"),
    "delivered": { details in
      switch details["kind"] {
      case "clawback": Words("The goods were taken back.", zh: "商品已收回。")
      case "regrant": Words("The goods were handed over again.", zh: "商品已重新交付。")
      default: Words("The goods were handed over.", zh: "商品已交付。")
      }
    },
    "postponed": fixed("The app asked for it later.", zh: "App 要求稍后交付。"),
    "refused": fixed("The app refused it.", zh: "App 拒绝接收。"),
    "finished": fixed("The App Store was told: done.", zh: "已告知 App Store：交易完成。"),
    "notAnnounced": fixed(
      "The store will show it again before it can be finished.",
      zh: "需等商店再次通知后才能完成。"
    ),
    "serverTold": fixed("The server knows that it was handed over.", zh: "服务器已知商品已交付。"),
    "reported": fixed("The server's review queue has it.", zh: "已进入服务器审核队列。"),
    "released": fixed("Looked at again, by a person's decision.", zh: "经人工决定重新处理。"),
    "undone": fixed("The disk failed; it is done again later.", zh: "磁盘写入失败，稍后重做。"),
  ]
}

extension OrderLife.Step {
  /// What the store's books say about a charge.
  static func charges(_ record: StoreTransactionRecord, at charged: Date) -> [Self] {
    let price = Self.price(record)
    let isRenewal = record.reason == .renewal
    let text =
      isRenewal
      ? Words("Renewed and charged \(price).", zh: "自动续订，扣款 \(price)。")
      : Words("Charged \(price).", zh: "扣款 \(price)。")
    var steps = [
      Self(
        date: charged,
        lane: .store,
        word: record.reason.rawValue,
        text: text
      )
    ]
    if let date = record.revocationDate {
      var step = Self(
        date: date,
        lane: .store,
        word: "REFUND",
        text: Words("Paid back \(price).", zh: "退款 \(price)。")
      )
      step.isTrouble = true
      steps.append(step)
    }
    return steps
  }

  private static func price(_ record: StoreTransactionRecord) -> String {
    let format = NumberFormatter()
    format.numberStyle = .currency
    format.locale = Locale(identifier: "en_US")
    format.currencyCode = record.storefront.currency
    let amount = Decimal(record.priceMilliunits) / 1000
    return format.string(from: amount as NSDecimalNumber) ?? "\(amount)"
  }

  /// What became of a notification: the first attempt, and the last when there were more.
  static func notifications(_ record: NotificationRecord) -> [Self] {
    let word = record.type.rawValue + (record.subtype.map { " · \($0.rawValue)" } ?? "")
    guard let last = record.attempts.last else {
      return [
        Self(
          date: record.signedDate,
          lane: .server,
          word: word,
          text: Words("The store is about to tell the server.", zh: "商店即将通知服务器。")
        )
      ]
    }
    let answered = Words("The store told the server, which answered 200.", zh: "商店通知服务器，服务器回答 200。")
    guard record.isDelivered else {
      var step = Self(
        date: record.signedDate,
        lane: .server,
        word: word,
        text: Words(
          "The server did not answer the store, which tries again.",
          zh: "服务器未回应商店，商店会再次通知。"
        ),
        count: record.attempts.count
      )
      step.isTrouble = true
      return [step]
    }
    return [Self(date: last.date, lane: .server, word: word, text: answered)]
  }
}

extension Order.State {
  /// The state in a word or two.
  var words: Words {
    switch self {
    case .opened: Words("Sheet open", zh: "付款中")
    case .pending: Words("Waiting", zh: "等待批准")
    case .scheduled: Words("Scheduled", zh: "已安排")
    case .paid: Words("Paid", zh: "已付款")
    case .delivered: Words("Delivered", zh: "已交付")
    case .cancelled: Words("Cancelled", zh: "已取消")
    case .failed: Words("Failed", zh: "失败")
    case .quarantined: Words("Set aside", zh: "已隔离")
    case .refused: Words("Refused", zh: "被拒绝")
    }
  }
}
