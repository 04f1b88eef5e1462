public import Foundation
import IAPEntitlements
public import IAPModel

/// The name of a case for people to decide.
public struct ReviewID: Identifier {
  /// The spelling.
  public let rawValue: String
  /// Makes the identifier from its spelling.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A case for people to decide: an order that a client set aside, or facts that contradict.
public struct ReviewRecord: Hashable, Sendable {
  /// What it is about.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a kind from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
    /// A client could not get a purchase accepted and has set it aside.
    public static let quarantine = Self(rawValue: "quarantine")
    /// Two contents came under one name.
    public static let contradiction = Self(rawValue: "contradiction")
    /// A purchase was presented by somebody who does not own it.
    public static let ownership = Self(rawValue: "ownership")
  }

  /// How it stands.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Nobody has decided.
    case open
    /// The goods are to be handed over: the client hears of it when it verifies next.
    case delivered
    /// The goods are not to be handed over.
    case refused
    /// Nothing has to be done any more.
    case resolved
  }

  /// Its name; equal reports have equal names.
  public var id: ReviewID
  /// The app.
  public var app: BundleID
  /// What it is about.
  public var kind: Kind
  /// How it stands.
  public var state: State
  /// When it was opened.
  public var openedDate: Date
  /// Everything else: what was reported, and what was decided.
  public var details: JSONObject

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - app: The app.
  ///   - kind: What it is about.
  ///   - state: How it stands.
  ///   - openedDate: When it was opened.
  ///   - details: Everything else.
  public init(
    id: ReviewID,
    app: BundleID,
    kind: Kind,
    state: State = .open,
    openedDate: Date,
    details: JSONObject
  ) {
    self.id = id
    self.app = app
    self.kind = kind
    self.state = state
    self.openedDate = openedDate
    self.details = details
  }

  /// Under what it is filed.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - app: The app.
  /// - Returns: The key of its document.
  public static func key(_ id: ReviewID, app: BundleID) -> DocumentKey {
    DocumentKey(.review, app: app, name: id.rawValue)
  }

  /// The wish to have it written.
  ///
  /// - Parameter condition: What has to be true for it.
  /// - Returns: The wish.
  public func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    DocumentWrite(
      Self.key(id, app: app),
      shelf: state.rawValue,
      body: [
        "kind": .string(kind.rawValue), "state": .string(state.rawValue),
        "opened": .integer(openedDate.milliseconds), "details": .object(details),
      ],
      condition: condition
    )
  }

  /// Reads a document.
  ///
  /// - Parameter document: The document.
  /// - Throws: ``StorageError`` with `corrupt` when it is none of a review.
  public init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let app = document.key.app, let kind = body["kind"]?.stringValue,
      let state = body["state"]?.stringValue.flatMap({ State(rawValue: $0) }),
      let opened = body["opened"]?.integerValue, let details = body["details"]?.objectValue
    else { throw StorageError(.corrupt, "a document of a review cannot be read") }
    self.init(
      id: ReviewID(document.key.name),
      app: app,
      kind: Kind(rawValue: kind),
      state: state,
      openedDate: Date(milliseconds: opened),
      details: details
    )
  }

  /// Somebody presented a purchase without owning it.
  init(_ conflict: ConflictRecord, owner: CustomerID) {
    let scope = conflict.subject.scope
    let mark = String(Self.mark(Array(conflict.customer.rawValue.utf8)), radix: 16)
    self.init(
      id: ReviewID("own_\(scope.environment)_\(conflict.subject.original)_\(mark)"),
      app: scope.app,
      kind: .ownership,
      openedDate: conflict.date,
      details: [
        "environment": .string(scope.environment.rawValue),
        "originalTransactionId": .string(conflict.subject.original.rawValue),
        "account": .string(conflict.customer.rawValue), "owner": .string(owner.rawValue),
        "reason": "presentedByAnother",
      ]
    )
  }

  /// Another content came under a known name.
  init(contradicting key: FactKey, variant: FactKey, in scope: LedgerScope, at date: Date) {
    let mark = String(Self.mark(Array(variant.description.utf8)), radix: 16)
    self.init(
      id: ReviewID("con_\(scope.environment)_\(mark)"),
      app: scope.app,
      kind: .contradiction,
      openedDate: date,
      details: [
        "environment": .string(scope.environment.rawValue), "fact": .string(key.description),
        "variant": .string(variant.description), "reason": "otherContent",
      ]
    )
  }

  /// FNV-1a: it keeps a customer's name out of addresses; nothing is secured with it.
  private static func mark(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
