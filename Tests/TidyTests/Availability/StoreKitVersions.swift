import Foundation

/// Apple's StoreKit by name: which systems have each public name, and since when.
///
/// Read from `Tests/Tables/storekit-names.tsv`.
enum StoreKitNames {
  static let all: [String: SystemVersions] = {
    let path = SourceTree.root.appendingPathComponent("Tests/Tables/storekit-names.tsv").path
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [:] }
    var names: [String: SystemVersions] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 1 + AppleSystem.allCases.count, fields[0] != "name" else { continue }
      var versions: [AppleSystem: SystemVersions.Version] = [:]
      for (system, field) in zip(AppleSystem.allCases, fields.dropFirst()) {
        versions[system] = SystemVersions.Version(field)
      }
      names[fields[0]] = SystemVersions(versions)
    }
    return names
  }()

  /// What is known of a name.
  enum Answer: Hashable {
    case known(SystemVersions)
    /// Apple's StoreKit has no such public name.
    case unknown
  }

  /// What is known of a declaration in the Linux module, by its path.
  ///
  /// Members that the compiler derives (of `Error`, `RawRepresentable`, `Hashable`) and the cases
  /// of Objective-C enumerations that Swift shows twice are as old as the type around them.
  static func look(up path: [String]) -> Answer {
    let name = path.joined(separator: ".")
    if let versions = all[name] { return .known(versions) }
    guard path.count > 1, let last = path.last else { return .unknown }
    if let apples = standIns[path[0]] { return look(up: [apples] + path.dropFirst()) }
    let owner = Array(path.dropLast())
    if derived.contains(last), case .known(let versions) = look(up: owner) {
      return .known(versions)
    }
    return .unknown
  }

  /// Types of the Linux module that carry members which Apple's has elsewhere.
  private static let standIns = ["SKRequestDelegating": "SKRequest"]

  /// Names that the table leaves to the conformance of their type.
  private static let derived: Set = [
    "==(_:_:)", "hash(into:)", "hashValue", "rawValue", "RawValue", "init(rawValue:)",
    "localizedDescription", "description", "debugDescription", "errorCode", "errorUserInfo",
    "errorDomain", "init()", "init(_:userInfo:)", "id", "ID", "makeAsyncIterator()", "next()",
    "AsyncIterator", "Element", "deinit",
  ]
}
