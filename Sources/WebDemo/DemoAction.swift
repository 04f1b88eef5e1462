import AppStoreSimulator
import IAPKit
import IAPModel
import SimulatedApp
import SimulatedDevice

/// What whoever sits before the page can do.
enum DemoAction: Hashable, Sendable {
  /// How far time is moved.
  enum Leap: String, Hashable, Sendable, CaseIterable {
    case hour, days, month
  }

  case buy(ProductID)
  case restore
  case dismiss
  case reload
  case recheck(String)
  case confirm, cancel, askParent, failPayment
  case leave, comeBack, kill, launch
  case killAt(KillStep?)
  case network(Bool)
  case generation(StoreGeneration)
  case secondPhone
  case server(Bool)
  case advance(Leap)
  case approve(PendingID)
  case decline(PendingID)
  case refund(TransactionID)
  case renewal(Bool)
  case card(Bool)
  case storefront(String)
  case startOver

  /// The steps at which a death can be planned, in the order of a purchase.
  static let deaths: [KillStep] = [
    .afterPurchase, .beforeRequest, .beforeDelivery, .beforeFinish,
  ]

  /// Reads what a form sent.
  ///
  /// - Parameter text: The value of its button: a word, or a word and what it is about behind a
  ///   colon.
  /// - Throws: ``DemoError`` with `unknownAction`.
  init(_ text: String) throws(DemoError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : ""
    guard let action = Self.plain[text] ?? Self.about(String(parts[0]), value) else {
      throw DemoError(.unknownAction, "there is no such button")
    }
    self = action
  }

  private static let plain: [String: DemoAction] = [
    "restore": .restore, "dismiss": .dismiss, "reload": .reload, "confirm": .confirm,
    "cancel": .cancel, "askParent": .askParent, "failPayment": .failPayment, "leave": .leave,
    "comeBack": .comeBack, "kill": .kill, "launch": .launch, "secondPhone": .secondPhone,
    "startOver": .startOver, "killAt:": .killAt(nil),
  ]

  private static func about(_ word: String, _ value: String) -> DemoAction? {
    switch word {
    case "buy": DemoOffer.all.first { $0.rawValue == value }.map { .buy($0) }
    case "recheck": value.isEmpty ? nil : .recheck(value)
    case "killAt": deaths.first { $0.rawValue == value }.map { .killAt($0) }
    case "network": onOff(value).map { .network($0) }
    case "server": onOff(value).map { .server($0) }
    case "renewal": onOff(value).map { .renewal($0) }
    case "card": onOff(value).map { .card($0) }
    case "generation": StoreGeneration(rawValue: value).map { .generation($0) }
    case "advance": Leap(rawValue: value).map { .advance($0) }
    case "approve": value.isEmpty ? nil : .approve(PendingID(value))
    case "decline": value.isEmpty ? nil : .decline(PendingID(value))
    case "refund": value.isEmpty ? nil : .refund(TransactionID(value))
    case "storefront": WebDemo.storefronts.contains(value) ? .storefront(value) : nil
    default: nil
    }
  }

  private static func onOff(_ text: String) -> Bool? {
    switch text {
    case "on": true
    case "off": false
    default: nil
    }
  }
}
