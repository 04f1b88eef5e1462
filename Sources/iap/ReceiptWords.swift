import IAPSignatures

/// The names of the attributes of a receipt, and what their values mean.
///
/// - **Source:** Apple, "Receipt fields"; the signed-data facts, section 6.2, for those that are
///   not documented and were read out of genuine receipts.
enum ReceiptWords {
  /// The name of an attribute, nil when nobody outside of Apple knows one.
  static func name(of number: Int) -> Words? { names[number] }

  /// The numbers that have a name.
  static var numbers: Set<Int> { Set(names.keys) }

  private static let names: [Int: Words] = [
    0: Words("receipt type", zh: "收据类型"),
    1: Words("app's number at Apple", zh: "App 的 Apple ID"),
    2: Words("bundle identifier", zh: "Bundle ID"),
    3: Words("app version", zh: "App 版本"),
    4: Words("opaque value, part of the device hash", zh: "不透明值（设备散列的一部分）"),
    5: Words("device hash", zh: "设备散列"),
    8: Words("request date", zh: "请求日期"),
    10: Words("age rating", zh: "年龄分级"),
    11: Words("developer's number", zh: "开发者编号"),
    12: Words("receipt creation date", zh: "收据创建日期"),
    15: Words("download number", zh: "下载编号"),
    16: Words("number of the app's version", zh: "App 版本编号"),
    17: Words("purchase", zh: "购买"),
    18: Words("original purchase date of the app", zh: "App 首次获取日期"),
    19: Words("original app version", zh: "App 最初版本"),
    21: Words("expiration date of a volume purchase", zh: "批量购买到期日期"),
    1701: Words("quantity", zh: "数量"),
    1702: Words("product", zh: "产品"),
    1703: Words("transaction", zh: "交易"),
    1704: Words("purchase date", zh: "购买日期"),
    1705: Words("original transaction", zh: "原始交易"),
    1706: Words("original purchase date", zh: "原始购买日期"),
    1707: Words("kind of product", zh: "产品种类"),
    1708: Words("subscription expiration date", zh: "订阅到期日期"),
    1710: Words("product's number at Apple", zh: "产品的 Apple ID"),
    1711: Words("web order line item", zh: "网页订单行项目"),
    1712: Words("cancellation date", zh: "取消日期"),
    1713: Words("free trial", zh: "免费试用"),
    1719: Words("introductory price", zh: "推介价格"),
    1721: Words("promotional offer", zh: "促销优惠"),
  ]

  private static let kinds: [Int64: Words] = [
    0: Words("non-consumable", zh: "非消耗型"),
    1: Words("consumable", zh: "消耗型"),
    2: Words("non-renewing subscription", zh: "非续期订阅"),
    3: Words("auto-renewable subscription", zh: "自动续期订阅"),
  ]

  /// Numbers for which 0 stands for nothing.
  private static let absentWhenZero: Set<Int> = [1, 11, 15, 16, 1710, 1711]
  /// Numbers of truth values.
  private static let flags: Set<Int> = [1713, 1719]
  /// How many bytes of a value that means nothing by itself are shown.
  private static let bytesShown = 32

  /// The value in words.
  static func value(
    _ attribute: ReceiptInspection.Attribute,
    _ language: Language
  ) -> String {
    switch attribute.value {
    case .text(""): return Words("none", zh: "无")(language)
    case .text(let text): return text
    case .number(let number): return value(number, of: attribute.number, language)
    case .bytes(let bytes):
      let more = bytes.count > bytesShown ? "… (\(bytes.count))" : ""
      return hexadecimal(Array(bytes.prefix(bytesShown))) + more
    case .purchase(let members): return "\(members.count)"
    }
  }

  private static func value(_ number: Int64, of place: Int, _ language: Language) -> String {
    if place == 1707, let kind = kinds[number] { return "\(number), \(kind(language))" }
    if flags.contains(place) {
      return number == 0 ? Words("no", zh: "否")(language) : Words("yes", zh: "是")(language)
    }
    if number == 0, absentWhenZero.contains(place) {
      return Words("0, none", zh: "0（无）")(language)
    }
    return String(number)
  }

  /// Bytes as hexadecimal digits.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}
