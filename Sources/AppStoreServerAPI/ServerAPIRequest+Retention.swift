public import Foundation
import HTTPValues
public import IAPModel

// Retention messages and groups. What the App Store answers about them is young and changes, so the
// answers are given as they come.
//
// - **Source:** App Store Server API, "Retention Messaging" and "Groups".

/// The id of a group of customers who share subscriptions.
public struct CustomerGroupID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The size of a picture in a retention message.
public enum RetentionImageSize: String, Hashable, Sendable, CaseIterable {
  /// Above the text.
  case fullSize = "FULL_SIZE"
  /// Beside a bullet point.
  case bulletPoint = "BULLET_POINT"
}

extension ServerAPIRequest where Answer == EmptyAnswer {
  private static func retention(
    _ method: RetentionMethod,
    _ path: [String],
    query: [(name: String, value: String)] = [],
    body: RequestBody? = nil
  ) -> Self {
    Self(
      .retentionMessaging,
      method == .put ? .put : .delete,
      ["inApps", "v1", "messaging"] + path,
      query: query,
      body: body
    ) { _ in EmptyAnswer() }
  }

  /// Uploads a picture.
  ///
  /// - Parameters:
  ///   - id: What it will be called.
  ///   - size: What it is for.
  ///   - png: The file.
  /// - Returns: The request.
  public static func uploadRetentionImage(
    _ id: UUID,
    size: RetentionImageSize,
    png: [UInt8]
  ) -> Self {
    retention(
      .put,
      ["image", id.uuidString.lowercased()],
      query: [("imageSize", size.rawValue)],
      body: .png(png)
    )
  }

  /// Removes a picture.
  public static func removeRetentionImage(_ id: UUID) -> Self {
    retention(.delete, ["image", id.uuidString.lowercased()])
  }

  /// Uploads a message.
  ///
  /// - Parameters:
  ///   - id: What it will be called.
  ///   - message: Header, body, picture and bullet points, in Apple's members.
  /// - Returns: The request.
  public static func uploadRetentionMessage(_ id: UUID, _ message: JSONObject) -> Self {
    retention(.put, ["message", id.uuidString.lowercased()], body: .json(message))
  }

  /// Removes a message.
  public static func removeRetentionMessage(_ id: UUID) -> Self {
    retention(.delete, ["message", id.uuidString.lowercased()])
  }

  /// Chooses the message for a product in a language.
  ///
  /// - Parameters:
  ///   - id: The message.
  ///   - productID: The product.
  ///   - locale: The language, for example `zh-Hans`.
  /// - Returns: The request.
  public static func setDefaultRetentionMessage(
    _ id: UUID,
    for productID: ProductID,
    locale: String
  ) -> Self {
    retention(
      .put,
      ["default", productID.rawValue, locale],
      body: .json(["messageIdentifier": .string(id.uuidString.lowercased())])
    )
  }

  /// Takes the choice back.
  ///
  /// - Parameters:
  ///   - productID: The product.
  ///   - locale: The language.
  /// - Returns: The request.
  public static func removeDefaultRetentionMessage(
    for productID: ProductID,
    locale: String
  ) -> Self {
    retention(.delete, ["default", productID.rawValue, locale])
  }

  /// Names the address that the App Store asks for a message.
  public static func setRealtimeURL(_ url: String) -> Self {
    retention(.put, ["realtime", "url"], body: .json(["realtimeURL": .string(url)]))
  }

  /// Takes that address back.
  public static var removeRealtimeURL: Self { retention(.delete, ["realtime", "url"]) }
}

private enum RetentionMethod {
  case put
  case delete
}

extension ServerAPIRequest where Answer == JSONObject {
  private static func retention(_ path: [String]) -> Self {
    Self(.retentionMessaging, .get, ["inApps", "v1", "messaging"] + path) { $0 }
  }

  /// The pictures and their states.
  public static var retentionImages: Self { retention(["image", "list"]) }

  /// The messages and their states.
  public static var retentionMessages: Self { retention(["message", "list"]) }

  /// The message for a product in a language.
  ///
  /// - Parameters:
  ///   - productID: The product.
  ///   - locale: The language.
  /// - Returns: The request.
  public static func defaultRetentionMessage(
    for productID: ProductID,
    locale: String
  ) -> Self {
    retention(["default", productID.rawValue, locale])
  }

  /// The address that the App Store asks for a message.
  public static var realtimeURL: Self { retention(["realtime", "url"]) }

  /// Begins a test of how fast that address answers; each request begins one.
  ///
  /// - Parameter id: The subscription that is asked about.
  /// - Returns: The request.
  public static func testRealtimeURL(with id: OriginalTransactionID) -> Self {
    Self(
      .retentionMessaging,
      .post,
      ["inApps", "v1", "messaging", "performanceTest"],
      body: .json(["originalTransactionId": .string(id.rawValue)]),
      isRepeatable: false
    ) { $0 }
  }

  /// How a test of that address went.
  public static func realtimeURLTest(_ requestID: UUID) -> Self {
    retention(["performanceTest", "result", requestID.uuidString.lowercased()])
  }

  /// The groups that a customer shares subscriptions in.
  public static func groups(of id: TransactionID) -> Self {
    Self(.groups, .get, ["groups", "v1", "currentGroups", id.rawValue]) { $0 }
  }

  /// A page of a group.
  ///
  /// - Parameters:
  ///   - groupID: The group.
  ///   - limit: The most entries, at most 100; nil for the App Store's choice.
  ///   - mark: What the page before gave; nil for the first.
  /// - Returns: The request.
  public static func group(
    _ groupID: CustomerGroupID,
    limit: Int? = nil,
    from mark: PageMark? = nil
  ) -> Self {
    var query: [(name: String, value: String)] = []
    if let limit { query.append(("limit", String(limit))) }
    if let mark { query.append(("paginationToken", mark.rawValue)) }
    return Self(.groups, .get, ["groups", "v1", "group", groupID.rawValue], query: query) { $0 }
  }
}
