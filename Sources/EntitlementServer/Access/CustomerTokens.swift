import Foundation
import IAPModel
import IAPSignatures
import ServerStorage
import Synchronization

/// What a good customer token says.
struct CustomerPass: Hashable, Sendable {
  let customer: CustomerID
  /// The app and the environment whose data it opens: the sandbox proves nothing about real money.
  let scope: LedgerScope
}

/// Makes and checks customer tokens: signed with a secret of the ledger's, so that nothing is kept
/// for each and every process of the server makes the same.
///
/// - **Shape:** `iap_ct_`, the claims as JSON in base64url, a full stop, HMAC-SHA256 in base64url.
final class CustomerTokens: Sendable {
  /// How long a token is good at least; it ends with a day, so that one day's tokens are equal.
  static let lifeSeconds: TimeInterval = 30 * daySeconds
  /// The longest token that is looked at.
  static let bytesMax = 2048

  private static let daySeconds: TimeInterval = 86_400
  private static let prefix = "iap_ct_"
  private static let secretByteCount = 32
  private static let secretKey = DocumentKey(.secret, app: nil, name: "customerTokens")

  private let ledger: any Ledger
  private let authenticator: MessageAuthenticator
  private let random: @Sendable (Int) -> [UInt8]
  private let known = Mutex<[UInt8]?>(nil)

  init(
    ledger: any Ledger,
    authenticator: MessageAuthenticator,
    random: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.ledger = ledger
    self.authenticator = authenticator
    self.random = random
  }

  /// A token for a customer: the same all day.
  ///
  /// - Parameters:
  ///   - pass: The customer, the app and the environment.
  ///   - generation: How often the customer's tokens were withdrawn.
  ///   - now: When it is made.
  /// - Returns: The token.
  /// - Throws: ``ServerError`` when the secret cannot be looked up or stored.
  func token(
    _ pass: CustomerPass,
    generation: Int64,
    at now: Date
  ) async throws(ServerError) -> String {
    let secret = try await secret(at: now)
    let day = (now.timeIntervalSince1970 / Self.daySeconds).rounded(.down)
    let end = (day + 1) * Self.daySeconds + Self.lifeSeconds
    let claims: JSONObject = [
      "a": .string(pass.scope.app.rawValue), "e": .string(pass.scope.environment.rawValue),
      "c": .string(pass.customer.rawValue), "g": .integer(generation), "x": .integer(Int64(end)),
    ]
    let text = Base64.encode(claims.serialized, .url)
    let code = authenticator.code(Array(text.utf8), key: secret)
    return Self.prefix + text + "." + Base64.encode(code, .url)
  }

  /// What a token says; nil for one that was not made here, is too old, or was withdrawn.
  func pass(_ token: String, at now: Date) async throws(ServerError) -> CustomerPass? {
    guard token.utf8.count <= Self.bytesMax, token.hasPrefix(Self.prefix) else { return nil }
    let parts = token.dropFirst(Self.prefix.count).split(
      separator: ".",
      omittingEmptySubsequences: false
    )
    guard parts.count == 2, let code = Base64.decode(Array(parts[1].utf8), .url),
      MessageAuthenticator.areEqual(
        code,
        authenticator.code(Array(parts[0].utf8), key: try await secret(at: now))
      ),
      let bytes = Base64.decode(Array(parts[0].utf8), .url),
      let claims = try? JSONParser.parseObject(bytes), let app = claims["a"]?.stringValue,
      let environment = claims["e"]?.stringValue, let customer = claims["c"]?.stringValue,
      let generation = claims["g"]?.integerValue, let end = claims["x"]?.integerValue,
      now.timeIntervalSince1970 < TimeInterval(end)
    else { return nil }
    let pass = CustomerPass(
      customer: CustomerID(customer),
      scope: LedgerScope(
        app: BundleID(app),
        environment: StoreEnvironment(rawValue: environment)
      )
    )
    let mark = mark(pass.customer)
    let (record, erasure) = try await stored { () async throws(StorageError) in
      try await ledger.read { reader throws(StorageError) in
        (
          try reader.customer(pass.customer, app: pass.scope.app),
          try reader.document(Self.erasedKey(mark, pass.scope.app))
        )
      }
    }
    // A token was made at the latest when its day ended, thirty days before it ends itself.
    let made = TimeInterval(end) - Self.lifeSeconds
    let erased = (erasure?.changedDate).map { $0.timeIntervalSince1970 } ?? -.infinity
    return record.tokenGeneration == generation && made > erased + Self.daySeconds ? pass : nil
  }

  /// Names a customer where no personal name may stand.
  func mark(_ customer: CustomerID) -> String {
    Hexadecimal.text(authenticator.digest(Array("customer:\(customer)".utf8)).prefix(8))
  }

  /// Where it stands that a customer was erased, under a mark in place of the name.
  static func erasedKey(_ mark: String, _ app: BundleID) -> DocumentKey {
    DocumentKey(.customer, app: app, name: "erased:" + mark)
  }

  /// The ledger's secret; it is made when it is needed first.
  private func secret(at now: Date) async throws(ServerError) -> [UInt8] {
    if let known = known.withLock({ $0 }) { return known }
    let document = try await stored { () async throws(StorageError) -> LedgerDocument? in
      if let found = try await ledger.read({ reader throws(StorageError) in
        try reader.document(Self.secretKey)
      }) {
        return found
      }
      var write = LedgerWrite(date: now)
      write.documents = [
        DocumentWrite(
          Self.secretKey,
          body: ["bytes": .string(Base64.encode(random(Self.secretByteCount), .standard))],
          condition: .ifAbsent
        )
      ]
      return try await ledger.commit(write).documents.first?.document
    }
    guard let text = document?.body["bytes"]?.stringValue,
      let secret = Base64.decode(Array(text.utf8), .standard),
      secret.count == Self.secretByteCount
    else {
      throw ServerError(
        503,
        .unavailable,
        .storageUnavailable,
        "It was not possible to look up the server's secret.",
        inside: "the secret of customer tokens is damaged"
      )
    }
    known.withLock { $0 = secret }
    return secret
  }
}
