import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage

// Whether settings, ledger, .storekit file and the app's sources speak of the same products.
extension Doctor {
  /// The longest list of identifiers, in bytes.
  private static let idsBytesMax = 4 * 1024 * 1024

  mutating func examineCatalog() async {
    guard let path = wishes.storekit else {
      add(
        .note,
        "catalog.unknown",
        "",
        Words("products were compared with no .storekit file", zh: "未与 .storekit 文件比对商品"),
        advice: Words(
          "Give --storekit FILE, or set doctor.storekitFile.",
          zh: "请给出 --storekit FILE，或设置 doctor.storekitFile。"
        )
      )
      return
    }
    guard let bytes = await console.file(path, StoreCommand.catalogBytesMax) else {
      add(
        .error,
        "catalog.unreadable",
        path,
        Words("the file cannot be read", zh: "无法读取该文件"),
        advice: Words("Give the path of the .storekit file.", zh: "请给出 .storekit 文件的路径。")
      )
      return
    }
    let review = CatalogReview(bytes, file: path)
    let errors = review.findings.filter { $0.severity == .error }
    if !errors.isEmpty {
      add(
        .error,
        "catalog.wrong",
        path,
        Words("it has \(errors.count) errors", zh: "有 \(errors.count) 个错误"),
        advice: Words("iap catalog check \(path)", zh: "iap catalog check \(path)")
      )
    }
    guard let catalog = review.catalog else { return }
    let sold = Set(catalog.products.map(\.id))
    if errors.isEmpty {
      add(.good, "catalog", path, Words("\(sold.count) products", zh: "\(sold.count) 个商品"))
    }
    for app in settings.apps { await compare(app, sold, path) }
    await compareIDs(sold, path)
    await compareSources(sold, path)
  }

  private mutating func compare(_ app: ServerApp, _ sold: Set<ProductID>, _ path: String) async {
    let configured = Set(app.catalog.rules.keys)
    missing(
      configured.subtracting(sold),
      "catalog.settingsUnknown",
      "\(app.bundleID), apps[].products",
      Words("not in \(path)", zh: "不在 \(path) 中"),
      Words(
        "Spell them as App Store Connect does, or take them out.",
        zh: "请与 App Store Connect 的拼写一致，或将其删除。"
      ),
      .error
    )
    guard let ledger else { return }
    let given = try? await ledger.read { reader throws(StorageError) in
      try GivenCatalog.products(of: app.bundleID, reader)
    }
    guard let named = given ?? nil else { return }
    missing(
      named.subtracting(sold),
      "catalog.serverUnknown",
      "\(app.bundleID), PUT /v1/catalog",
      Words("not in \(path)", zh: "不在 \(path) 中"),
      Words("PUT a catalog that has the same products.", zh: "请 PUT 含相同商品的目录。"),
      .error
    )
    missing(
      sold.subtracting(named),
      "catalog.serverLacks",
      "\(app.bundleID), PUT /v1/catalog",
      Words("not in the catalog that apps are given", zh: "不在提供给 App 的目录中"),
      Words("PUT a catalog that has them.", zh: "请 PUT 含有它们的目录。"),
      .warning
    )
  }

  /// Compares with the identifiers that an app uses: a list that anybody can make, one a line.
  private mutating func compareIDs(_ sold: Set<ProductID>, _ path: String) async {
    guard let file = wishes.ids else { return }
    guard let bytes = await console.file(file, Self.idsBytesMax) else {
      add(
        .error,
        "catalog.idsUnreadable",
        file,
        Words("the file cannot be read", zh: "无法读取该文件"),
        advice: Words("Give the path of the list.", zh: "请给出列表的路径。")
      )
      return
    }
    let used = Set(
      String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        .map { ProductID(String($0)) }
    )
    compare(used, file, sold, path)
  }

  /// Compares with the identifiers that the app's own sources name.
  private mutating func compareSources(_ sold: Set<ProductID>, _ path: String) async {
    guard let folder = wishes.sources else { return }
    switch await world.productIDs(folder) {
    case .found(let used): compare(Set(used), folder, sold, path)
    case .noLinter:
      add(
        .warning,
        "catalog.noLinter",
        folder,
        Words("there is no iap-lint beside iap", zh: "iap 旁没有 iap-lint"),
        advice: Words(
          "Build it with 'swift build --product iap-lint', or give --ids FILE.",
          zh: "请用“swift build --product iap-lint”构建，或给出 --ids FILE。"
        )
      )
    case .failed:
      add(
        .error,
        "catalog.sourcesUnreadable",
        folder,
        Words("the linter finds no Swift sources there", zh: "iap-lint 在此未找到 Swift 源代码"),
        advice: Words("Give the folder of the app's sources.", zh: "请给出 App 源代码的文件夹。")
      )
    }
  }

  private mutating func compare(
    _ used: Set<ProductID>,
    _ file: String,
    _ sold: Set<ProductID>,
    _ path: String
  ) {
    missing(
      used.subtracting(sold),
      "catalog.appUnknown",
      file,
      Words("the app asks for what \(path) does not sell", zh: "App 请求了 \(path) 中没有的商品"),
      Words(
        "A product that is asked for under a wrong name never comes, without an error.",
        zh: "以错误名称请求的商品不会返回，也不会报错。"
      ),
      .error
    )
    missing(
      sold.subtracting(used),
      "catalog.appLacks",
      file,
      Words("\(path) sells what the app does not ask for", zh: "\(path) 中有 App 未请求的商品"),
      Words("Right for products that come later.", zh: "若为稍后上架的商品则无妨。"),
      .note
    )
  }

  private mutating func missing(
    _ ids: Set<ProductID>,
    _ code: String,
    _ subject: String,
    _ seen: Words,
    _ advice: Words,
    _ severity: DoctorFinding.Severity
  ) {
    guard !ids.isEmpty else { return }
    let names = ids.map(\.rawValue).sorted()
    let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", ..." : "")
    add(
      severity,
      code,
      subject,
      Words("\(seen(.english)): \(shown)", zh: "\(seen(.simplifiedChinese))：\(shown)"),
      advice: advice
    )
  }
}
