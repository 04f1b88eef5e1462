import SwiftSyntax

/// A server that is told about purchases without a proof.
enum SignedDataNotSent: LintRule {
  static let info = RuleInfo(
    "signed-data-not-sent",
    .error,
    .money,
    title: LintWords(
      "The server hears of a purchase without its signed data",
      zh: "告知服务器购买时没有附上签名数据"
    ),
    why: LintWords(
      """
      A product identifier or a flag in a request is a claim that anybody can send. A server that \
      believes it gives goods away; one that does not cannot tell who paid.
      """,
      zh: "请求中的商品标识符或标志任何人都能伪造；服务器若相信就是白送，若不信又无法判断谁付了款。"
    ),
    fix: LintWords(
      """
      Send 'jwsRepresentation' of the verification result (or the receipt for StoreKit 1), and let \
      the server verify it; use ServerReceiptValidator with IAPKit.
      """,
      zh: "发送验证结果的“jwsRepresentation”（StoreKit 1 发送收据）由服务器验证；使用 IAPKit 时用 ServerReceiptValidator。"
    )
  )

  private static let network: Set = ["URLRequest", "dataTask", "httpBody", "uploadTask"]
  private static let proofs: Set = [
    "jwsRepresentation", "appStoreReceiptURL", "receiptData", "receipt", "signedTransactionInfo",
    "jws", "jwsTransaction", "signedTransaction", "jsonRepresentation", "transactionReceipt",
  ]
  private static let claims: Set = [
    "productID", "productIdentifier", "product", "transaction", "purchase", "transactionIdentifier",
    "productId", "originalID", "transactionID", "transactionId",
  ]

  static func places(in project: Project) -> [Place] {
    guard !(project.newPurchases + project.oldPayments).isEmpty else { return [] }
    // A proof anywhere in the app's own code reaches the server by some way that names do not show.
    let hasProof = project.appUnits.contains { !$0.names.isDisjoint(with: proofs) }
    if hasProof { return [] }
    let handling = project.namesReachable(from: handlerNames(project), depth: 4)
    return project.appBodies.map(\.body).compactMap { body -> Place? in
      guard body.kind == .function, !body.names.isDisjoint(with: network),
        handling.contains(body.name), isAboutPurchase(body)
      else { return nil }
      let unit = project.unit(of: body)
      return body.declaration.as(FunctionDeclSyntax.self).map { unit.place($0.name) }
    }
  }

  /// The names in whatever handles transactions.
  private static func handlerNames(_ project: Project) -> Set<String> {
    var names: Set<String> = []
    for call in project.newPurchases + project.oldPayments {
      names.formUnion(call.node.flowBoundary?.names ?? [])
    }
    for (_, node) in project.listeners {
      names.formUnion(node.ancestor(ForStmtSyntax.self)?.names ?? [])
    }
    for (_, function) in project.updatedTransactions { names.formUnion(function.names) }
    return names
  }

  private static func isAboutPurchase(_ body: CodeBody) -> Bool {
    let whole = body.declaration.names
    let keys = body.code.all(StringSegmentSyntax.self).flatMap { $0.content.text.camelWords }
    return !whole.isDisjoint(with: claims)
      || !Set(keys).isDisjoint(with: ["product", "transaction", "purchase", "premium"])
  }
}
