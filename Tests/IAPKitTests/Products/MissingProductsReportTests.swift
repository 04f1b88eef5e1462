import Foundation
import IAPModel
import Testing

@testable import IAPKit

@Suite("A report of missing products")
struct MissingProductsReportTests {
  private let found = IAPProduct(
    id: "coins",
    type: .consumable,
    displayName: "Coins",
    description: "",
    price: 1,
    currency: "USD",
    displayPrice: "$1.00"
  )

  private func report(
    _ missing: [String],
    found: [IAPProduct] = [],
    environment: StoreEnvironment? = nil,
    isSandbox: Bool = true,
    isLocal: Bool = false,
    storefront: String? = "USA"
  ) -> MissingProductsReport {
    MissingProductsReport(
      ProductAnswer(products: found, missing: missing),
      in: StoreSurroundings(
        environment: environment,
        isSandboxHint: isSandbox,
        isLocalBuild: isLocal,
        storefront: storefront,
        generation: .storekit2
      )
    )
  }

  @Test("begins with what the client can see")
  func order() {
    #expect(report(["a"]).causes.first == .agreementMissing)
    #expect(report(["a"], storefront: nil).causes.first == .sandboxAccountMissing)
    #expect(report(["a"], isLocal: true).causes.first == .configurationFileNotSelected)
    #expect(report(["a"], found: [found]).causes.first == .wrongId)
    #expect(report(["a b", "c"], found: [found]).causes.prefix(2) == [.impossibleId, .wrongId])
    #expect(report(["a b", ""], found: [found]).causes == [.impossibleId])
  }

  @Test("of an empty answer in the sandbox names every cause once")
  func complete() {
    let causes = report(["a", "b c"]).causes
    #expect(Set(causes) == Set(MissingProductCause.allCases))
    #expect(causes.count == MissingProductCause.allCases.count)
  }

  @Test("blames the app's set-up only when nothing was found, and no test set-up in production")
  func exclusions() {
    let partial = report(["a"], found: [found]).causes
    #expect(Set(partial) == [.wrongId, .notApproved, .notSoldInStorefront, .stillPropagating])
    let production = report(["a"], environment: .production, isSandbox: true).causes
    #expect(!production.contains(.sandboxAccountMissing))
    #expect(!production.contains(.configurationFileNotSelected))
    #expect(production.suffix(3) == [.notApproved, .notSoldInStorefront, .stillPropagating])
  }

  @Test("has a text of its own for each cause in each language")
  func texts() {
    for language in IAPError.Language.allCases {
      let texts = MissingProductCause.allCases.map { $0.text(language) }
      #expect(Set(texts).count == texts.count)
      for text in texts {
        let isChinese = text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
        #expect(isChinese == (language == .simplifiedChinese), "\(text)")
      }
    }
  }

  @Test("says what is missing, why it may be and what cannot be read")
  func text() {
    let report = report(["a b", ""], found: [found], environment: .sandbox)
    #expect(
      report.text(.english)
        == "the store does not know a b, \"\"; found 1; likely causes: "
        + "1) ids have letters, digits, hyphens, periods and underscores only; "
        + "environment Sandbox (the kind of account cannot be read), storefront USA, storekit2"
    )
    #expect(
      report.text(.simplifiedChinese)
        == "商店未返回：a b、\"\"；已找到 1 个；可能原因：1) 商品 ID 含有不允许的字符；"
        + "环境 Sandbox（无法读取账户类型），商店地区 USA，storekit2"
    )
  }

  @Test("names twenty ids and counts the rest", arguments: [(20, false), (21, true)])
  func manyIDs(row: (count: Int, isCut: Bool)) {
    let text = report((0..<row.count).map { "id\($0)" }).text(.english)
    #expect(text.contains("id19"))
    #expect(text.contains("(+1)") == row.isCut)
  }

  @Test("names so many ids and counts the others", arguments: [20, 21])
  func manyIDs(count: Int) {
    let ids = (1...count).map { "id\($0)" }
    let (text, chinese) = (report(ids).text(.english), report(ids).text(.simplifiedChinese))
    #expect(report(ids).ids == ids)
    #expect(text.contains("id20") && chinese.contains("id20"))
    #expect(text.contains("id21") == false)
    #expect(text.contains(" (+1)") == (count > 20))
    #expect(chinese.contains(" (+1)") == (count > 20))
  }
}

@Suite("The line that opens the log")
struct StartLineTests {
  @Test("names so many products and counts them all", arguments: [20, 21])
  func manyProducts(count: Int) {
    let line = StartLine(
      productIds: (1...count).map { "id\($0)" },
      surroundings: StoreSurroundings(
        isSandboxHint: true,
        storefront: "USA",
        generation: .storekit2
      ),
      openOrders: 1,
      unfinishedRecords: 2
    )
    #expect(line.text.contains("\(count) products id1 "))
    #expect(line.text.contains("id20"))
    #expect(line.text.contains(" and others") == (count > 20))
    #expect(line.text.hasSuffix(", open orders 1, unfinished records 2"))
  }
}
