import IAPModel
import IAPSignatures

/// What a client asks to have judged.
struct VerifyRequest: Hashable, Sendable {
  /// What is to prove the purchase.
  enum Evidence: Hashable, Sendable {
    /// The text of a signed transaction.
    case signedTransaction([UInt8])
    /// A receipt's bytes.
    case receipt([UInt8])
    /// Nothing but the identifier: only what the ledger knows can be answered.
    case transactionID(TransactionID)
  }

  var evidence: Evidence
  /// The transaction that has to be in the evidence.
  var transactionID: TransactionID?
  /// The product that the transaction has to be for.
  var productID: ProductID?
  var orderNumber: OrderNumber?
  var account: CustomerID?
  var installation: InstallationID?
  /// What the client believes; signed data decides.
  var isSandbox: Bool?
  /// Whether the installation says that it has handed the purchase over.
  var isAcknowledgement = false

  /// Whether nothing but a receipt is sent: the answer is about the latest purchase in it.
  var isPlain: Bool {
    if case .receipt = evidence { transactionID == nil && productID == nil } else { false }
  }

  /// What a request's body looks like.
  ///
  /// One of the three proofs has to be there, which a shape does not say.
  static func shape(_ limits: ServerLimits) -> Shape {
    // An empty text counts as absent, for clients that always send every member.
    .object([
      .optional("signedTransaction", .text(min: 0, max: limits.bodyBytesMax)),
      .optional("receipt", .text(min: 0, max: limits.bodyBytesMax)),
      .optional("transactionId", .text(min: 0, max: limits.transactionIDBytesMax)),
      .optional("productId", .text(min: 0, max: limits.productIDBytesMax)),
      .optional("orderNumber", .text(min: 0, max: 36)),
      .optional("account", .text(min: 0, max: limits.accountBytesMax)),
      .optional("installation", .text(min: 0, max: limits.installationBytesMax)),
      .optional("sandbox", .bool), .optional("acknowledged", .bool),
    ])
  }

  /// Reads the members of a request's body.
  init(_ object: JSONObject, limits: ServerLimits) throws(ServerError) {
    let members = RequestMembers(object: object)
    transactionID = try members.text("transactionId", bytesMax: limits.transactionIDBytesMax)
      .map { TransactionID($0) }
    productID = try members.text("productId", bytesMax: limits.productIDBytesMax)
      .map { ProductID($0) }
    account = try members.customer("account", limits)
    installation = try members.text("installation", bytesMax: limits.installationBytesMax)
      .map { InstallationID($0) }
    isSandbox = try members.bool("sandbox")
    evidence = try Self.evidence(members, transactionID: transactionID, limits: limits)
    if let text = try members.text("orderNumber", bytesMax: 36) {
      guard let number = OrderNumber(text) else {
        throw RequestMembers.invalid("orderNumber", "a UUID")
      }
      orderNumber = number
    }
    isAcknowledgement = try members.bool("acknowledged") ?? false
    if isAcknowledgement { try checkAcknowledgement() }
  }

  /// Knowing an identifier is no proof of having bought, and so of having handed over.
  private func checkAcknowledgement() throws(ServerError) {
    guard installation != nil else {
      throw RequestMembers.missing("installation", "An acknowledgement needs installation.")
    }
    if case .transactionID = evidence {
      throw RequestMembers.missing(
        "signedTransaction",
        "An acknowledgement needs signedTransaction or receipt."
      )
    }
  }

  private static func evidence(
    _ members: RequestMembers,
    transactionID: TransactionID?,
    limits: ServerLimits
  ) throws(ServerError) -> Evidence {
    if let text = try members.text("signedTransaction", bytesMax: limits.bodyBytesMax) {
      return .signedTransaction(Array(text.utf8))
    }
    if let text = try members.text("receipt", bytesMax: limits.bodyBytesMax) {
      switch ReceiptText.read(Array(text.utf8)) {
      case .refused(let reason): throw RequestMembers.invalidReceipt("receipt", reason)
      case .bytes(let bytes):
        // Clients that know one body only send the text of a signed transaction in it as well.
        return looksLikeJWS(bytes) ? .signedTransaction(bytes) : .receipt(bytes)
      }
    }
    if let transactionID { return .transactionID(transactionID) }
    throw RequestMembers.missing(
      "signedTransaction",
      "One of signedTransaction, receipt and transactionId has to be there."
    )
  }

  /// A receipt is DER and begins with a sequence; a compact JWS begins with an encoded brace.
  private static func looksLikeJWS(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "eyJ".utf8) && bytes.contains(UInt8(ascii: "."))
  }
}
