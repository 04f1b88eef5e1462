public import Foundation
public import IAPModel

/// What kind of thing a document describes: each kind has a type that reads and writes it.
public struct DocumentKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word under which it is stored.
  public let rawValue: String
  /// Makes a kind from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The word.
  public var description: String { rawValue }

  /// A key of an app or a backend.
  public static let apiKey = Self(rawValue: "apiKey")
  /// A secret of the server's own.
  public static let secret = Self(rawValue: "secret")
  /// What is known about a customer beside purchases.
  public static let customer = Self(rawValue: "customer")
  /// What an app sells, and what it opens.
  public static let catalog = Self(rawValue: "catalog")
  /// A case for people to decide.
  public static let review = Self(rawValue: "review")
  /// A nonce of a signed offer.
  public static let nonce = Self(rawValue: "nonce")
  /// A request that was named by its sender, and what was answered.
  public static let idempotency = Self(rawValue: "idempotency")
  /// A purchase that somebody has beside its owner.
  public static let share = Self(rawValue: "share")
  /// Which order a transaction belongs to that carries no number of it.
  public static let orderLink = Self(rawValue: "orderLink")
  /// What a unit of a consumable is worth in a balance.
  public static let credit = Self(rawValue: "credit")
  /// A receipt in which a purchase stands.
  public static let receiptPlace = Self(rawValue: "receiptPlace")
  /// The newest receipt of a customer, to ask about it again.
  public static let newestReceipt = Self(rawValue: "newestReceipt")
  /// A token that the App Store is to be told, for a purchase that was claimed later.
  public static let tokenTask = Self(rawValue: "tokenTask")
  /// One debit of a customer's balance.
  public static let debit = Self(rawValue: "debit")
  /// What a customer has spent of its balances in all.
  public static let spent = Self(rawValue: "spent")
}

/// Under what a document is filed; one document for each.
public struct DocumentKey: Hashable, Sendable {
  /// What it describes.
  public let kind: DocumentKind
  /// The app; nil when it belongs to the server as a whole.
  public let app: BundleID?
  /// Its name among the documents of that kind and app.
  public let name: String

  /// Makes a key.
  ///
  /// - Parameters:
  ///   - kind: What the document describes.
  ///   - app: The app; nil when it belongs to the server as a whole.
  ///   - name: Its name among the documents of that kind and app.
  public init(_ kind: DocumentKind, app: BundleID?, name: String) {
    self.kind = kind
    self.app = app
    self.name = name
  }
}

/// A small record that, unlike a fact, is replaced when it changes: a key, a catalog, a review.
///
/// Everything that follows from signed data is a fact; documents hold what people and apps decided.
public struct LedgerDocument: Hashable, Sendable {
  /// Under what it is filed.
  public let key: DocumentKey
  /// Its place in the order in which documents were made.
  public let sequence: Int64
  /// A second name, which many documents may share: the customer, or the state.
  public let shelf: String?
  /// What it says.
  public let body: JSONObject
  /// How often it was written; 1 when it is new.
  public let version: Int64
  /// When it was made.
  public let createdDate: Date
  /// When it was written last.
  public let changedDate: Date

  /// Makes a document; for backends.
  ///
  /// - Parameters:
  ///   - key: Under what it is filed.
  ///   - sequence: Its place in the order in which documents were made.
  ///   - shelf: A second name, which many documents may share.
  ///   - body: What it says.
  ///   - version: How often it was written.
  ///   - createdDate: When it was made.
  ///   - changedDate: When it was written last.
  public init(
    key: DocumentKey,
    sequence: Int64,
    shelf: String?,
    body: JSONObject,
    version: Int64,
    createdDate: Date,
    changedDate: Date
  ) {
    self.key = key
    self.sequence = sequence
    self.shelf = shelf
    self.body = body
    self.version = version
    self.createdDate = createdDate
    self.changedDate = changedDate
  }
}

/// A wish to write a document.
public struct DocumentWrite: Hashable, Sendable {
  /// What has to be true for it.
  public enum Condition: Hashable, Sendable {
    /// It is written in any case.
    case always
    /// A document that is there stays as it is; everything else of the write goes on.
    case ifAbsent
    /// When there is a document, nothing of the whole write is recorded.
    case mustBeAbsent
    /// When there is another version or none, nothing of the whole write is recorded.
    case mustHaveVersion(Int64)
  }

  /// Under what it is filed.
  public var key: DocumentKey
  /// A second name, which many documents may share.
  public var shelf: String?
  /// What it says.
  public var body: JSONObject
  /// What has to be true for it.
  public var condition: Condition

  /// Makes a wish.
  ///
  /// - Parameters:
  ///   - key: Under what the document is filed.
  ///   - shelf: A second name, which many documents may share.
  ///   - body: What it says.
  ///   - condition: What has to be true for it.
  public init(
    _ key: DocumentKey,
    shelf: String? = nil,
    body: JSONObject,
    condition: Condition
  ) {
    self.key = key
    self.shelf = shelf
    self.body = body
    self.condition = condition
  }
}

/// What became of a wish to write a document.
public enum DocumentOutcome: Hashable, Sendable {
  /// It stands as wanted.
  case written(LedgerDocument)
  /// Another one was there and stays; for a condition that decides over the whole write, nil means
  /// that there was none.
  case kept(LedgerDocument?)

  /// The document that stands now.
  public var document: LedgerDocument? {
    switch self {
    case .written(let document): document
    case .kept(let document): document
    }
  }
}

/// A wish to forget documents that nobody needs any more.
public struct DocumentPruning: Hashable, Sendable {
  /// What is forgotten.
  public var kind: DocumentKind
  /// Documents that were written last before this instant.
  public var changedBefore: Date

  /// Makes a wish.
  ///
  /// - Parameters:
  ///   - kind: What is forgotten.
  ///   - changedBefore: Documents that were written last before this instant.
  public init(_ kind: DocumentKind, changedBefore: Date) {
    self.kind = kind
    self.changedBefore = changedBefore
  }

  /// The most documents that one write forgets, so that it stays short.
  public static let documentsMax = 100
}
