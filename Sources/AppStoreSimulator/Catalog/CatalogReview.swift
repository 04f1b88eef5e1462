public import IAPModel

/// Something that is wrong or doubtful in a `.storekit` file.
public struct CatalogFinding: Hashable, Sendable {
  /// What it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The file cannot be read as JSON, or has no version.
    case unreadable
    /// The loader refuses the file.
    case refused
    /// A product identifier is there twice.
    case duplicateProductID
    /// A product identifier has characters that App Store Connect refuses, or is too long.
    case badProductID
    /// The identifier of an offer has such characters, or is too long.
    case badOfferID
    /// Two offers of one product have the same identifier.
    case duplicateOfferID
    /// A subscription has a period that is not sold.
    case badPeriod
    /// An offer has a length that is not sold.
    case badOfferPeriod
    /// A pay-as-you-go offer has other periods than its subscription.
    case offerPeriodDiffers
    /// A subscription has no level.
    case noLevel
    /// A level is not 1 or more.
    case badLevel
    /// An offer that is paid for has no price.
    case offerWithoutPrice
    /// A product has no price.
    case noPrice
    /// A price is no decimal number.
    case badPrice
    /// A subscription costs nothing.
    case freeSubscription
    /// A group sells nothing.
    case emptyGroup
    /// A product has no name or description in any language.
    case noTexts
    /// A name or description is empty.
    case emptyText
    /// A product is shared with the family though its kind cannot be.
    case wrongSharing
    /// A subscription names another group than the one that it stands in.
    case wrongGroup
    /// A product identifier belonged to a product that is gone; it cannot be used again.
    case retiredProductID
    /// A product has no picture for the review.
    case noReviewPicture
  }

  /// Whether a store cannot sell it so, or it is only doubtful.
  public enum Severity: String, Hashable, Sendable {
    /// Has to be mended.
    case error
    /// Should be looked at.
    case warning
  }

  /// What it is.
  public let kind: Kind
  /// Where: the path of the key, for example `products[2].productID`.
  public let place: String
  /// What stands there; for refused files the reason.
  public let seen: String

  /// How bad it is.
  public var severity: Severity {
    switch kind {
    case .noTexts, .emptyText, .wrongSharing, .emptyGroup, .offerPeriodDiffers, .badOfferPeriod,
      .noLevel, .noReviewPicture:
      .warning
    case .unreadable, .refused, .duplicateProductID, .badProductID, .badOfferID, .duplicateOfferID,
      .badPeriod, .badLevel, .offerWithoutPrice, .noPrice, .badPrice, .freeSubscription,
      .wrongGroup, .retiredProductID:
      .error
    }
  }
}

/// Finds everything that is wrong in a `.storekit` file, not only the first thing.
///
/// - **Source:** the product facts, section 1 and 6; the configuration-file facts.
public struct CatalogReview: Sendable {
  /// What was found, in the order of the file.
  public private(set) var findings: [CatalogFinding] = []
  /// The catalog; nil when the loader refuses the file.
  public private(set) var catalog: StoreCatalog?
  private var seen: Set<ProductID> = []
  private let retired: Set<ProductID>
  private let pictured: Set<ProductID>?

  /// The most characters of an identifier.
  public static let idLengthMax = 100
  private static let periods: Set<String> = ["P1W", "P7D", "P1M", "P2M", "P3M", "P6M", "P1Y"]
  private static let offerPeriods: Set<String> = [
    "P3D", "P7D", "P1W", "P2W", "P14D", "P1M", "P2M", "P3M", "P6M", "P1Y",
  ]

  /// Reviews a file.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - file: The file's name, for texts.
  ///   - retired: Identifiers of products that are gone.
  ///   - pictured: The products that have a picture for the review; nil when nobody looked.
  public init(
    _ bytes: [UInt8],
    file: String,
    retired: Set<ProductID> = [],
    pictured: Set<ProductID>? = nil
  ) {
    self.retired = retired
    self.pictured = pictured
    guard let document = try? JSONParser.parseObject(bytes, limits: .document),
      document["version"]?.objectValue != nil
    else {
      do throws(SimulatorError) {
        catalog = try StoreCatalog(parsing: bytes, file: file)
      } catch {
        add(.unreadable, "", error.reason)
      }
      return
    }
    for list in ["products", "nonRenewingSubscriptions"] {
      for (place, node) in Self.objects(document, list, "") { product(node, place) }
    }
    for (place, group) in Self.objects(document, "subscriptionGroups", "") {
      self.group(group, place)
    }
    do throws(SimulatorError) {
      catalog = try StoreCatalog(parsing: bytes, file: file)
    } catch {
      // What the loader says is news only when nothing else was found.
      if !findings.contains(where: { $0.severity == .error }) { add(.refused, "", error.reason) }
    }
  }

  private mutating func add(_ kind: CatalogFinding.Kind, _ place: String, _ seen: String) {
    findings.append(CatalogFinding(kind: kind, place: place, seen: seen))
  }

  private static func objects(
    _ node: JSONObject,
    _ key: String,
    _ path: String
  ) -> [(String, JSONObject)] {
    (node[key]?.arrayValue ?? []).enumerated().compactMap { index, value in
      value.objectValue.map { ("\(path)\(key)[\(index)]", $0) }
    }
  }
}

extension CatalogReview {
  private mutating func group(_ group: JSONObject, _ place: String) {
    let subscriptions = Self.objects(group, "subscriptions", place + ".")
    if subscriptions.isEmpty { add(.emptyGroup, place, group["name"]?.stringValue ?? "") }
    let id = group["id"]?.stringValue
    for (place, node) in subscriptions {
      product(node, place)
      if let named = node["subscriptionGroupID"]?.stringValue, named != id {
        add(.wrongGroup, place + ".subscriptionGroupID", named)
      }
      plan(node, place)
    }
  }

  private mutating func product(_ node: JSONObject, _ place: String) {
    let id = node["productID"]?.stringValue ?? ""
    if !Self.isID(id, more: "-._") { add(.badProductID, place + ".productID", id) }
    if !seen.insert(ProductID(id)).inserted { add(.duplicateProductID, place + ".productID", id) }
    if retired.contains(ProductID(id)) { add(.retiredProductID, place + ".productID", id) }
    if pictured?.contains(ProductID(id)) == false { add(.noReviewPicture, place, id) }
    price(node, place, isNeeded: true)
    let texts = Self.objects(node, "localizations", place + ".")
    if texts.isEmpty { add(.noTexts, place + ".localizations", id) }
    for (place, text) in texts {
      for key in ["displayName", "description"] where text[key]?.stringValue?.isEmpty != false {
        add(.emptyText, "\(place).\(key)", text["locale"]?.stringValue ?? "")
      }
    }
    let type = node["type"]?.stringValue ?? ""
    if node["familyShareable"]?.boolValue == true,
      ["Consumable", "NonRenewingSubscription"].contains(type)
    {
      add(.wrongSharing, place + ".familyShareable", type)
    }
  }

  private mutating func plan(_ node: JSONObject, _ place: String) {
    let period = node["recurringSubscriptionPeriod"]?.stringValue ?? ""
    if !Self.periods.contains(period) {
      add(.badPeriod, place + ".recurringSubscriptionPeriod", period)
    }
    if let level = node["groupNumber"]?.integerValue {
      if level < 1 { add(.badLevel, place + ".groupNumber", String(level)) }
    } else {
      add(.noLevel, place + ".groupNumber", node["productID"]?.stringValue ?? "")
    }
    if node["displayPrice"]?.stringValue.map({ Self.isZero($0) }) == true {
      add(.freeSubscription, place + ".displayPrice", node["displayPrice"]?.stringValue ?? "")
    }
    if let offer = node["introductoryOffer"]?.objectValue {
      self.offer(offer, place + ".introductoryOffer", period)
    }
    for list in ["introductoryOffers", "adHocOffers", "codeOffers", "winbackOffers"] {
      var seen: Set<String> = []
      for (place, offer) in Self.objects(node, list, place + ".") {
        self.offer(offer, place, period)
        let key = list == "codeOffers" ? "referenceName" : "offerID"
        guard list != "introductoryOffers" else { continue }
        let id = offer[key]?.stringValue ?? ""
        if key == "offerID", !Self.isID(id, more: "._-") {
          add(.badOfferID, place + ".offerID", id)
        }
        if !seen.insert(id).inserted { add(.duplicateOfferID, "\(place).\(key)", id) }
      }
    }
  }

  private mutating func offer(_ offer: JSONObject, _ place: String, _ plan: String) {
    let length = offer["subscriptionPeriod"]?.stringValue ?? ""
    let mode = offer["paymentMode"]?.stringValue
    if mode == "payAsYouGo" {
      if length != plan { add(.offerPeriodDiffers, place + ".subscriptionPeriod", length) }
    } else if !Self.offerPeriods.contains(length) {
      add(.badOfferPeriod, place + ".subscriptionPeriod", length)
    }
    guard mode != "free" else { return }
    if offer["displayPrice"]?.stringValue == nil {
      add(.offerWithoutPrice, place + ".displayPrice", mode ?? "")
    } else {
      price(offer, place, isNeeded: false)
    }
  }

  private mutating func price(_ node: JSONObject, _ place: String, isNeeded: Bool) {
    guard let text = node["displayPrice"]?.stringValue else {
      if isNeeded { add(.noPrice, place + ".displayPrice", node["productID"]?.stringValue ?? "") }
      return
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isDecimal =
      parts.count <= 2 && parts.first?.isEmpty == false
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    if !isDecimal { add(.badPrice, place + ".displayPrice", text) }
  }

  private static func isZero(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == 0x30 || $0 == 0x2E }
  }

  private static func isID(_ text: String, more: String) -> Bool {
    (1...idLengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || more.utf8.contains(byte)
      }
  }
}
