import AppStoreSimulator
import Foundation
import IAPModel

/// `iap catalog check FILE`: explains a `.storekit` file and its mistakes.
enum CatalogCommand: Command {
  static let name = "catalog"
  static let summary = Words(
    "Checks a .storekit file: what it sells, and everything that is wrong in it.",
    zh: "检查 .storekit 文件：列出其中的商品和所有错误。"
  )
  static let details = Words(
    """
    The first word is check. FILE may be - for standard input.

    What the file cannot say is said beside it: --retired FILE lists identifiers of products that
    are gone, one a line, which App Store Connect never gives out again; --pictures FOLDER has the
    picture of each product for the review, as PRODUCT.png or PRODUCT.jpg.

    Exit status: 0 without errors (warnings may be printed), 1 with errors, 2 the call cannot be
    used.
    """,
    zh: """
      第一个词是 check。FILE 为 - 时读取标准输入。

      文件未包含的信息另行给出：--retired FILE 每行一个已停用且不可再用的商品标识符；
      --pictures FOLDER 内有各商品的审核图片，名为“商品.png”或“商品.jpg”。

      退出状态：0 没有错误（可能有警告），1 有错误，2 调用有误。
      """
  )
  static let operands: [CommandOperand] = [
    CommandOperand("check", Words("What to do: check.", zh: "要做的事：check。"), choices: ["check"]),
    CommandOperand("FILE", Words("The .storekit file.", zh: ".storekit 文件。")),
  ]

  static let options: [CommandOption] = [
    .value(
      "retired",
      "FILE",
      Words("Identifiers that were used once, one a line.", zh: "已停用的标识符，每行一个。")
    ),
    .value(
      "pictures",
      "FOLDER",
      Words("Where the pictures for the review lie.", zh: "审核图片所在的文件夹。")
    ),
    .jsonFlag,
  ]
  /// The longest list of identifiers, in bytes.
  static let retiredBytesMax = 4 * 1024 * 1024
  /// The biggest picture, in bytes.
  static let pictureBytesMax = 32 * 1024 * 1024

  static func run(
    _ arguments: CommandArguments,
    console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard arguments.operands.count == 2, arguments.operands[0] == "check" else {
      throw .usage(
        Words("'iap catalog' needs 'check FILE'.", zh: "“iap catalog”需要“check 文件”。")
      )
    }
    let path = arguments.operands[1]
    let bytes = try await console.contents(
      of: path,
      sizeBytesMax: StoreCommand.catalogBytesMax
    )
    var retired: Set<ProductID> = []
    if let list = arguments.value("retired") {
      let text = try await console.contents(of: list, sizeBytesMax: retiredBytesMax)
      retired = Set(
        String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
          .map { ProductID(String($0)) }
      )
    }
    var pictures: Set<ProductID>?
    if let folder = arguments.value("pictures") {
      pictures = await pictured(bytes, in: folder, console)
    }
    let review = CatalogReview(
      bytes,
      file: path,
      retired: retired,
      pictured: pictures
    )
    let errors = review.findings.filter { $0.severity == .error }.count
    if arguments.flag("json") {
      console.json(json(of: review, errors: errors))
      return errors == 0 ? .success : .failure
    }
    if let catalog = review.catalog { describe(catalog, console) }
    for finding in review.findings { show(finding, console) }
    let warnings = review.findings.count - errors
    console.line(
      Words("\(errors) errors, \(warnings) warnings", zh: "\(errors) 个错误，\(warnings) 个警告")
    )
    return errors == 0 ? .success : .failure
  }

  private static func json(of review: CatalogReview, errors: Int) -> JSONObject {
    let findings = review.findings.map { finding -> JSONValue in
      [
        "severity": finding.severity == .error ? "error" : "warning",
        "kind": .string(finding.kind.rawValue), "place": .string(finding.place),
        "seen": .string(finding.seen), "explanation": .string(explanation(finding.kind).0),
      ]
    }
    let products = (review.catalog?.products ?? []).map { product -> JSONValue in
      [
        "productId": .string(product.id.rawValue), "type": .string(product.type.rawValue),
        "price": .string("\(product.price)"),
      ]
    }
    return [
      "products": .array(products), "findings": .array(findings),
      "errors": .integer(Int64(errors)),
      "warnings": .integer(Int64(review.findings.count - errors)),
    ]
  }

  /// The products of the file that have a picture in the folder: a PNG or a JPEG.
  private static func pictured(
    _ bytes: [UInt8],
    in folder: String,
    _ console: Console
  ) async -> Set<ProductID> {
    var found: Set<ProductID> = []
    let marks: [(String, [UInt8])] = [
      ("png", [0x89, 0x50, 0x4E, 0x47]), ("jpg", [0xFF, 0xD8, 0xFF]), ("jpeg", [0xFF, 0xD8, 0xFF]),
    ]
    for product in CatalogReview(bytes, file: "").catalog?.products ?? [] {
      for (ending, mark) in marks {
        let name = "\(folder)/\(product.id).\(ending)"
        let picture = await console.file(name, pictureBytesMax)
        if picture?.starts(with: mark) == true { found.insert(product.id) }
      }
    }
    return found
  }

  private static func describe(_ catalog: StoreCatalog, _ console: Console) {
    console.line(
      Words(
        "Version \(catalog.version), \(catalog.products.count) products",
        zh: "版本 \(catalog.version)，\(catalog.products.count) 个商品"
      )
    )
    for product in catalog.products {
      var words = [product.id.rawValue, product.type.rawValue, "\(product.price)"]
      if let plan = product.subscription {
        words += [plan.period.iso8601, "group \(plan.groupID)", "level \(plan.level)"]
        let offers =
          (plan.introductoryOffer == nil ? 0 : 1) + plan.promotionalOffers.count
          + plan.codeOffers.count + plan.winBackOffers.count
        if offers > 0 { words.append("offers \(offers)") }
      }
      console.line(verbatim: "  " + words.joined(separator: "  "))
    }
  }

  private static func show(_ finding: CatalogFinding, _ console: Console) {
    let (english, chinese) = explanation(finding.kind)
    let place = finding.place.isEmpty ? "" : finding.place + ": "
    let seen = finding.seen.isEmpty ? "" : " (\(finding.seen))"
    switch finding.severity {
    case .error:
      console.line(
        Words(
          "\(console.colored("error", .bad)): \(place)\(english)\(seen)",
          zh: "\(console.colored("错误", .bad))：\(place)\(chinese)\(seen)"
        )
      )
    case .warning:
      console.line(
        Words(
          "\(console.colored("warning", .doubtful)): \(place)\(english)\(seen)",
          zh: "\(console.colored("警告", .doubtful))：\(place)\(chinese)\(seen)"
        )
      )
    }
  }

  private static func explanation(_ kind: CatalogFinding.Kind) -> (String, String) {
    switch kind {
    case .unreadable: ("this is no .storekit file", "不是 .storekit 文件")
    case .refused: ("the store cannot load it", "商店无法加载")
    case .duplicateProductID: ("the product identifier is there twice", "商品标识符重复")
    case .badProductID:
      (
        "a product identifier has 1 to 100 letters, digits, hyphens, full stops, underscores",
        "商品标识符须为 1 至 100 个字母、数字、连字符、句点或下划线"
      )
    case .badOfferID:
      (
        "an offer identifier has 1 to 100 letters, digits, hyphens, full stops, underscores",
        "优惠标识符须为 1 至 100 个字母、数字、连字符、句点或下划线"
      )
    case .duplicateOfferID: ("two offers of one product have this name", "同一商品的两个优惠同名")
    case .badPeriod:
      ("a subscription lasts P1W, P1M, P2M, P3M, P6M or P1Y", "订阅周期应为 P1W、P1M、P2M、P3M、P6M 或 P1Y")
    case .badOfferPeriod:
      ("App Store Connect has no offer of this length", "App Store Connect 没有这种时长的优惠")
    case .offerPeriodDiffers:
      ("a pay-as-you-go offer has the period of its subscription", "随用随付优惠的周期应与订阅相同")
    case .noLevel: ("the level in the group is missing; 1 is assumed", "缺少组内级别，按 1 处理")
    case .badLevel: ("levels begin with 1", "级别从 1 开始")
    case .offerWithoutPrice: ("an offer that is paid for needs a price", "付费优惠需要价格")
    case .noPrice: ("the price is missing", "缺少价格")
    case .badPrice: ("a price looks like 0.99", "价格的格式如 0.99")
    case .freeSubscription: ("a subscription cannot be free", "订阅不能免费")
    case .emptyGroup: ("the group sells nothing", "该组没有商品")
    case .noTexts: ("there is no name or description in any language", "没有任何语言的名称或描述")
    case .emptyText: ("the text is empty", "文本为空")
    case .wrongSharing: ("a product of this kind is never shared", "此类商品不能家庭共享")
    case .wrongGroup: ("this is not the group that it stands in", "与所在的组不符")
    case .retiredProductID:
      ("this identifier was used before and is never given out again", "该标识符已用过，不可再用")
    case .noReviewPicture:
      ("there is no picture of the product for the review", "缺少该商品的审核图片")
    }
  }
}
