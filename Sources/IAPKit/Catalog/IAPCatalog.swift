public import Foundation
public import IAPModel

/// What the app sells, as its server or a file says it: the products in the order of display.
public struct IAPCatalog: Hashable, Sendable {
  /// One product.
  public struct Entry: Hashable, Sendable, Identifiable {
    /// The product's id.
    public var id: String
    /// Its type.
    public var type: ProductType?
    /// The entitlements that it opens; nil for one of its own id.
    public var entitlements: [String]?
    /// Its names by language tag, for example `en` and `zh-Hans`.
    public var displayNames: [String: String]
    /// How long one purchase of a non-renewing subscription gives access.
    public var duration: IAPModel.SubscriptionPeriod?
    /// The group of a subscription.
    public var group: String?
    /// The level of service in the group; 1 is the highest.
    public var level: Int?

    /// Makes an entry; what is left out is absent.
    public init(
      id: String,
      type: ProductType? = nil,
      entitlements: [String]? = nil,
      displayNames: [String: String] = [:],
      duration: IAPModel.SubscriptionPeriod? = nil,
      group: String? = nil,
      level: Int? = nil
    ) {
      self.id = id
      self.type = type
      self.entitlements = entitlements
      self.displayNames = displayNames
      self.duration = duration
      self.group = group
      self.level = level
    }
  }

  /// The longest text of a catalog that is read, in bytes.
  package static let bytesMax = 1024 * 1024
  /// The most products of a catalog.
  ///
  /// - **Source:** an app can have so many in-app purchases.
  package static let entriesMax = 10_000

  /// The products, in the order of display.
  public var entries: [Entry]

  /// Makes a catalog.
  public init(_ entries: [Entry]) { self.entries = entries }

  /// The ids, in the order of display.
  public var productIds: [String] { entries.map(\.id) }

  /// The entry of a product.
  public subscript(id: String) -> Entry? { entries.first { $0.id == id } }

  /// The name of a product in the first language that it has one in.
  ///
  /// - Parameters:
  ///   - id: The product.
  ///   - languages: Language tags, most wanted first, for example `zh-Hans-CN`.
  /// - Returns: The name; nil when there is none in these languages.
  public func displayName(of id: String, languages: [String]) -> String? {
    guard let names = self[id]?.displayNames else { return nil }
    for tag in languages {
      var parts = tag.split(separator: "-")
      while !parts.isEmpty {
        if let name = names[parts.joined(separator: "-")] { return name }
        parts.removeLast()
      }
    }
    return nil
  }
}

extension IAPCatalog {
  /// Reads the body of `GET /v1/catalog`, or a file of the same shape.
  ///
  /// Members that are not known are passed over: a newer server may send more.
  ///
  /// - Parameter json: The text.
  /// - Throws: ``IAPError/invalidConfiguration(problems:)``, which names every bad member; a
  ///   catalog with one bad entry is refused as a whole.
  public init(json: Data) throws(IAPError) {
    let limits = JSONLimits(sizeBytesMax: Self.bytesMax, depthMax: 8)
    let object: JSONObject
    do throws(PayloadError) {
      object = try JSONParser.parseObject(json, limits: limits)
    } catch {
      throw .invalidConfiguration(problems: [Self.name(of: error, in: json)])
    }
    var reader = CheckedMembers(object)
    let objects = reader.objects("products", isRequired: true) ?? []
    if objects.count > Self.entriesMax {
      reader.note("products", "has more than \(Self.entriesMax) members")
    }
    var entries: [Entry] = []
    var ids: Set<String> = []
    for (index, object) in objects.prefix(Self.entriesMax).enumerated() {
      var members = CheckedMembers(object, at: "products[\(index)].")
      if let entry = Self.entry(&members) {
        if !ids.insert(entry.id).inserted { members.note("id", "stands twice") }
        entries.append(entry)
      }
      reader.take(members.problems)
    }
    guard reader.problems.isEmpty else { throw .invalidConfiguration(problems: reader.problems) }
    self.init(entries)
  }

  private static func name(of error: PayloadError, in text: Data) -> String {
    let first = text.first { !" \t\r\n".utf8.contains($0) }
    return first == UInt8(ascii: "<")
      ? "the text is a page (HTML), no catalog" : "the text is no JSON object: \(error.code)"
  }

  private static func entry(_ reader: inout CheckedMembers) -> Entry? {
    let id = reader.text("id", isRequired: true)
    if let id, !ProductRequest.isPossible(id) { reader.note("id", "is not possible") }
    let duration = reader.text("duration")
    let period = duration.flatMap { IAPModel.SubscriptionPeriod(iso8601: $0) }
    if duration != nil, period == nil { reader.note("duration", "is not a length such as P30D") }
    let entry = Entry(
      id: id ?? "",
      type: reader.text("type").map { ProductType(rawValue: $0) },
      entitlements: reader.texts("entitlements"),
      displayNames: reader.table("displayName", of: "texts", \.stringValue) ?? [:],
      duration: period,
      group: reader.text("group"),
      level: reader.count("level")
    )
    return id == nil ? nil : entry
  }
}
