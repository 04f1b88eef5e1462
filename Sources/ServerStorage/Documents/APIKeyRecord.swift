public import Foundation
public import IAPModel

/// The public part of an API key: it names the key and opens nothing.
public struct APIKeyID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A key with which an app or a backend may call the server; the key itself is not kept.
public struct APIKeyRecord: Hashable, Sendable {
  /// What a key is good for.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It is built into an app, so everybody may know it: it opens nobody's data.
    case `public`
    /// It stays on the app's own backend.
    case secret
  }

  /// Its name.
  public var id: APIKeyID
  /// The app that it is for.
  public var app: BundleID
  /// What it is good for.
  public var kind: Kind
  /// What people call it.
  public var label: String
  /// The SHA-256 of the key, in hexadecimal digits.
  public var hash: String
  /// When it was made.
  public var createdDate: Date
  /// When it was withdrawn; nil while it is good.
  public var revokedDate: Date?

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - app: The app that it is for.
  ///   - kind: What it is good for.
  ///   - label: What people call it.
  ///   - hash: The SHA-256 of the key, in hexadecimal digits.
  ///   - createdDate: When it was made.
  ///   - revokedDate: When it was withdrawn.
  public init(
    id: APIKeyID,
    app: BundleID,
    kind: Kind,
    label: String,
    hash: String,
    createdDate: Date,
    revokedDate: Date? = nil
  ) {
    self.id = id
    self.app = app
    self.kind = kind
    self.label = label
    self.hash = hash
    self.createdDate = createdDate
    self.revokedDate = revokedDate
  }

  /// Under what it is filed.
  ///
  /// - Parameter id: Its name.
  /// - Returns: The key of its document.
  public static func key(_ id: APIKeyID) -> DocumentKey {
    DocumentKey(.apiKey, app: nil, name: id.rawValue)
  }

  /// The wish to have it written.
  ///
  /// - Parameter condition: What has to be true for it.
  /// - Returns: The wish.
  public func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    var body: JSONObject = [
      "app": .string(app.rawValue), "kind": .string(kind.rawValue), "label": .string(label),
      "hash": .string(hash), "created": .integer(createdDate.milliseconds),
    ]
    body["revoked"] = revokedDate.map { .integer($0.milliseconds) }
    return DocumentWrite(Self.key(id), shelf: app.rawValue, body: body, condition: condition)
  }

  /// Reads a document.
  ///
  /// - Parameter document: The document.
  /// - Throws: ``StorageError`` with `corrupt` when it is none of a key.
  public init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let app = body["app"]?.stringValue,
      let kind = body["kind"]?.stringValue.flatMap({ Kind(rawValue: $0) }),
      let label = body["label"]?.stringValue, let hash = body["hash"]?.stringValue,
      let created = body["created"]?.integerValue
    else { throw StorageError(.corrupt, "a document of an API key cannot be read") }
    self.init(
      id: APIKeyID(document.key.name),
      app: BundleID(app),
      kind: kind,
      label: label,
      hash: hash,
      createdDate: Date(milliseconds: created),
      revokedDate: body["revoked"]?.integerValue.map { Date(milliseconds: $0) }
    )
  }
}
