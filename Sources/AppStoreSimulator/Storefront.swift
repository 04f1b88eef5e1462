public import IAPModel

/// A country's store: which currency prices are in.
///
/// - **Source:** App Store Server API, `storefront` and `storefrontId`.
public struct Storefront: Hashable, Sendable {
  /// The ISO 3166-1 alpha-3 country code, for example `USA`.
  public let countryCode: String
  /// Apple's number of the storefront, for example `143441`.
  public let id: StorefrontID
  /// The ISO 4217 currency code.
  public let currency: String

  /// Makes a storefront.
  ///
  /// - Parameters:
  ///   - countryCode: The ISO 3166-1 alpha-3 country code.
  ///   - id: Apple's number of the storefront.
  ///   - currency: The ISO 4217 currency code.
  public init(countryCode: String, id: StorefrontID, currency: String) {
    self.countryCode = countryCode
    self.id = id
    self.currency = currency
  }

  /// The United States.
  public static let usa = Storefront(countryCode: "USA", id: "143441", currency: "USD")

  /// The storefronts that are known by their country code.
  public static let known: [Storefront] = [
    .usa,
    Storefront(countryCode: "FRA", id: "143442", currency: "EUR"),
    Storefront(countryCode: "DEU", id: "143443", currency: "EUR"),
    Storefront(countryCode: "GBR", id: "143444", currency: "GBP"),
    Storefront(countryCode: "ITA", id: "143450", currency: "EUR"),
    Storefront(countryCode: "ESP", id: "143454", currency: "EUR"),
    Storefront(countryCode: "CAN", id: "143455", currency: "CAD"),
    Storefront(countryCode: "AUS", id: "143460", currency: "AUD"),
    Storefront(countryCode: "JPN", id: "143462", currency: "JPY"),
    Storefront(countryCode: "HKG", id: "143463", currency: "HKD"),
    Storefront(countryCode: "SGP", id: "143464", currency: "SGD"),
    Storefront(countryCode: "CHN", id: "143465", currency: "CNY"),
    Storefront(countryCode: "KOR", id: "143466", currency: "KRW"),
    Storefront(countryCode: "IND", id: "143467", currency: "INR"),
    Storefront(countryCode: "TWN", id: "143470", currency: "TWD"),
    Storefront(countryCode: "BRA", id: "143503", currency: "BRL"),
  ]

  /// The known storefront of a country.
  ///
  /// - Parameter countryCode: The ISO 3166-1 alpha-3 country code.
  /// - Returns: The storefront.
  /// - Throws: ``SimulatorError`` with `unknownStorefront`.
  public static func of(countryCode: String) throws(SimulatorError) -> Storefront {
    guard let found = known.first(where: { $0.countryCode == countryCode }) else {
      throw SimulatorError(
        .unknownStorefront,
        "no storefront is known for \"\(countryCode)\"; expected a three-letter code such as USA"
      )
    }
    return found
  }
}
