import SwiftSyntax

/// The app itself asks Apple about its receipt.
enum ReceiptCheckedOnDevice: LintRule {
  static let info = RuleInfo(
    "receipt-checked-from-app",
    .error,
    .money,
    title: LintWords(
      "The app sends its receipt to Apple itself",
      zh: "应用自己把收据发给 Apple 验证"
    ),
    why: LintWords(
      """
      Between the app and 'verifyReceipt' anybody can put an answer of their own, and the shared \
      secret ships with the app. Unlocking after such an answer gives the goods away.
      """,
      zh: "应用与“verifyReceipt”之间的响应可以被任何人替换，共享密钥也会随应用分发；凭这样的响应解锁等于白送。"
    ),
    fix: LintWords(
      "Send the receipt to your own server, which asks Apple; or verify with StoreKit 2.",
      zh: "把收据发给自己的服务器，由它询问 Apple；或在设备上用 StoreKit 2 验证。"
    )
  )

  static func places(in project: Project) -> [Place] {
    // A server written in Swift may well ask.
    guard project.appUnits.contains(where: { $0.importsStoreKit || $0.importsFacade }) else {
      return []
    }
    return project.appUnits.flatMap { unit in
      unit.literals.filter { literal in
        let text = literal.segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }
          .joined()
        return text.contains("itunes.apple.com/verifyReceipt")
      }.prefix(1).map { unit.place($0) }
    }
  }
}
