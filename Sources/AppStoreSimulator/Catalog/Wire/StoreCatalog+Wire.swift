import Foundation
import IAPModel

extension StoreCatalog {
  /// Reads a `.storekit` file.
  ///
  /// Unknown keys are kept in ``document``; missing optional keys get Xcode's defaults.
  ///
  /// - **Shape:** UTF-8 JSON of at most 16 MiB.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - file: The file's name, for error texts.
  /// - Throws: ``SimulatorError`` with `badCatalog`, naming the file, the key and the reason.
  public init(parsing bytes: some Collection<UInt8>, file: String) throws(SimulatorError) {
    let document: JSONObject
    do throws(PayloadError) {
      document = try JSONParser.parseObject(bytes, limits: .document)
    } catch {
      throw SimulatorError(
        .badCatalog,
        "\(file): this is no .storekit file: \(error.reason)",
        underlying: error
      )
    }
    try self.init(CatalogNode(document, file: file, path: ""))
  }

  private init(_ root: CatalogNode) throws(SimulatorError) {
    guard let version = try root.object("version") else {
      throw root.error("version", "is missing: this is no .storekit file")
    }
    let major = try version.required("major", try version.integer("major"))
    let minor = try version.integer("minor") ?? 0
    guard (1...5).contains(major) else {
      throw version.error("major", "is \(major); versions 1 to 5 can be read")
    }
    guard root.has("products") || root.has("subscriptionGroups") else {
      throw root.error("products", "is missing, and so is subscriptionGroups")
    }
    var products: [CatalogProduct] = []
    for list in ["products", "nonRenewingSubscriptions"] {
      for node in try root.objects(list) { products.append(try node.product(in: nil)) }
    }
    for group in try root.objects("subscriptionGroups") {
      for node in try group.objects("subscriptions") {
        products.append(try node.product(in: group))
      }
    }
    guard products.count <= StoreCatalog.productCountMax else {
      throw root.error(
        "products",
        "has \(products.count) products, at most \(Self.productCountMax)"
      )
    }
    var seen: Set<ProductID> = []
    for product in products where !seen.insert(product.id).inserted {
      throw root.error("products", "has the productID \"\(product.id)\" twice")
    }
    self.init(
      version: "\(major).\(minor)",
      products: products,
      settings: try CatalogNode.settings(try root.object("settings")),
      document: root.value
    )
  }
}

/// An object of the file and where it stands, so that errors can say so.
private struct CatalogNode {
  let value: JSONObject
  let file: String
  let path: String

  init(_ value: JSONObject, file: String, path: String) {
    self.value = value
    self.file = file
    self.path = path
  }

  func has(_ key: String) -> Bool { value[key] != nil }

  func error(_ key: String, _ reason: String) -> SimulatorError {
    SimulatorError(.badCatalog, "\(file): \(path)\(key) \(reason)")
  }

  func required<Value>(_ key: String, _ found: Value?) throws(SimulatorError) -> Value {
    guard let found else { throw error(key, "is missing") }
    return found
  }

  private func read<Value>(
    _ key: String,
    _ wanted: String,
    _ convert: (JSONValue) -> Value?
  ) throws(SimulatorError) -> Value? {
    guard let found = value[key], found != .null else { return nil }
    guard let result = convert(found) else { throw error(key, "is not \(wanted)") }
    return result
  }

  func text(_ key: String) throws(SimulatorError) -> String? {
    try read(key, "a text", \.stringValue)
  }

  func bool(_ key: String) throws(SimulatorError) -> Bool? {
    try read(key, "true or false", \.boolValue)
  }

  func integer(_ key: String) throws(SimulatorError) -> Int? {
    try read(key, "a whole number") { $0.integerValue.flatMap { Int(exactly: $0) } }
  }

  func object(_ key: String) throws(SimulatorError) -> CatalogNode? {
    try read(key, "an object", \.objectValue).map {
      CatalogNode($0, file: file, path: "\(path)\(key).")
    }
  }

  func objects(_ key: String) throws(SimulatorError) -> [CatalogNode] {
    let values = try read(key, "a list", \.arrayValue) ?? []
    var nodes: [CatalogNode] = []
    for (index, element) in values.enumerated() {
      guard let members = element.objectValue else {
        throw error("\(key)[\(index)]", "is not an object")
      }
      nodes.append(CatalogNode(members, file: file, path: "\(path)\(key)[\(index)]."))
    }
    return nodes
  }

  /// A decimal number in a text; prices are written with a point in every locale.
  func price(_ key: String) throws(SimulatorError) -> Decimal? {
    guard let text = try text(key) else { return nil }
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard isPlain, parts.count <= 2, parts.first?.isEmpty == false, text.utf8.count <= 20,
      let amount = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { throw error(key, "is \"\(text)\"; a price looks like 0.99") }
    guard amount * 1000 <= Decimal(CatalogProduct.priceMilliunitsMax) else {
      throw error(key, "is \"\(text)\"; a price is 1000000000 at most")
    }
    return amount
  }

  func period(_ key: String) throws(SimulatorError) -> SubscriptionPeriod? {
    guard let text = try text(key) else { return nil }
    guard let period = SubscriptionPeriod(iso8601: text) else {
      throw error(key, "is \"\(text)\"; a period looks like P1M")
    }
    return period
  }
}

extension CatalogNode {
  func product(in group: CatalogNode?) throws(SimulatorError) -> CatalogProduct {
    let id = try required("productID", try text("productID"))
    guard !id.isEmpty else { throw error("productID", "is empty") }
    let typeName = try required("type", try text("type"))
    let type: ProductType
    switch typeName {
    case "Consumable": type = .consumable
    case "NonConsumable": type = .nonConsumable
    case "NonRenewingSubscription": type = .nonRenewable
    case "RecurringSubscription": type = .autoRenewable
    default:
      throw error(
        "type",
        "is \"\(typeName)\"; known are Consumable, NonConsumable, NonRenewingSubscription, "
          + "RecurringSubscription"
      )
    }
    guard (type == .autoRenewable) == (group != nil) else {
      throw error("type", "is \"\(typeName)\", which does not belong in this list")
    }
    return CatalogProduct(
      id: ProductID(id),
      type: type,
      referenceName: try text("referenceName"),
      price: try price("displayPrice") ?? 0,
      localizations: try localizations(),
      isFamilyShareable: try bool("familyShareable") ?? false,
      subscription: try group.map { group throws(SimulatorError) in try subscription(in: group) }
    )
  }

  private func localizations() throws(SimulatorError) -> [CatalogLocalization] {
    var result: [CatalogLocalization] = []
    for node in try objects("localizations") {
      result.append(
        CatalogLocalization(
          locale: try node.text("locale") ?? "en_US",
          displayName: try node.text("displayName") ?? "",
          description: try node.text("description") ?? ""
        )
      )
    }
    return result
  }

  private func subscription(in group: CatalogNode) throws(SimulatorError) -> CatalogSubscription {
    let groupID = try group.required("id", try group.text("id"))
    if let named = try text("subscriptionGroupID"), named != groupID {
      throw error("subscriptionGroupID", "is \"\(named)\" inside the group \"\(groupID)\"")
    }
    var introductory = try object("introductoryOffer")
    if introductory == nil { introductory = try objects("introductoryOffers").first }
    return CatalogSubscription(
      groupID: SubscriptionGroupID(groupID),
      groupName: try group.text("name"),
      level: try integer("groupNumber") ?? 1,
      period: try required(
        "recurringSubscriptionPeriod",
        try period("recurringSubscriptionPeriod")
      ),
      introductoryOffer: try introductory.map { node throws(SimulatorError) in try node.offer() },
      promotionalOffers: try offers("adHocOffers"),
      codeOffers: try offers("codeOffers"),
      winBackOffers: try offers("winbackOffers")
    )
  }

  private func offers(_ key: String) throws(SimulatorError) -> [CatalogOffer] {
    var result: [CatalogOffer] = []
    for node in try objects(key) { result.append(try node.offer()) }
    return result
  }

  private func offer() throws(SimulatorError) -> CatalogOffer {
    let mode = try required("paymentMode", try text("paymentMode"))
    guard let paymentMode = CatalogOffer.PaymentMode(rawValue: mode) else {
      throw error("paymentMode", "is \"\(mode)\"; known are free, payAsYouGo, payUpFront")
    }
    let count = try integer("numberOfPeriods") ?? 1
    guard (1...100).contains(count) else { throw error("numberOfPeriods", "is \(count)") }
    var eligibility: [CatalogOffer.Eligibility] = []
    for word in try texts("eligibility") {
      guard let known = CatalogOffer.Eligibility(rawValue: word) else {
        throw error("eligibility", "has \"\(word)\"; known are new, existing, expired")
      }
      eligibility.append(known)
    }
    return CatalogOffer(
      id: try text("offerID").map { OfferID($0) },
      referenceName: try text("referenceName"),
      paymentMode: paymentMode,
      period: try required("subscriptionPeriod", try period("subscriptionPeriod")),
      periodCount: count,
      price: try price("displayPrice") ?? 0,
      eligibility: eligibility,
      isStackable: try bool("isStackable") ?? false,
      isEligible: try bool("isEligible")
    )
  }

  private func texts(_ key: String) throws(SimulatorError) -> [String] {
    let values = try read(key, "a list", \.arrayValue) ?? []
    var texts: [String] = []
    for value in values {
      guard let text = value.stringValue else { throw error(key, "has something that is no text") }
      texts.append(text)
    }
    return texts
  }

  static func settings(_ node: CatalogNode?) throws(SimulatorError) -> CatalogSettings {
    var settings = CatalogSettings()
    guard let node else { return settings }
    settings.locale = try node.text("_locale") ?? settings.locale
    settings.storefront = try node.text("_storefront") ?? settings.storefront
    settings.asksToBuy = try node.bool("_askToBuyEnabled") ?? false
    let fails = try node.bool("_failTransactionsEnabled") ?? false
    for failure in try node.objects("_storeKitErrors")
    where try failure.bool("enabled") == true {
      let current = try failure.object("current")
      settings.failures.append(
        CatalogFailure(
          name: try failure.required("name", try failure.text("name")),
          type: try current?.text("type"),
          index: try current?.integer("index")
        )
      )
    }
    if !fails { settings.failures = [] }
    // Files without a list mean purchases.
    settings.failsTransactions =
      fails && (!node.has("_storeKitErrors") || settings.fails("Purchase"))
    settings.interruptsPurchases = try node.bool("_billingIssuesEnabled") ?? false
    settings.failsRenewals = try node.bool("_renewalBillingIssuesEnabled") ?? false
    settings.hasGracePeriod = try node.bool("_billingGracePeriodEnabled") ?? false
    settings.timeRate = try node.integer("_timeRate") ?? 0
    return settings
  }
}
