/// Names that say something, and identifiers that are types.
let namingRules: [TidyRule] = [
  TidyRule(
    name: "names.suffixes",
    remedy: "name the thing by what it is; these words say nothing",
    bad: ["Sources/IAPKit/A.swift": "struct ReceiptHelper {}\n"],
    good: ["Sources/IAPKit/A.swift": "final class IAPManager {}\nstruct Receipt {}\n"]
  ) { tree in
    tree.swiftFiles.filter { $0.target != "StoreKit" }.flatMap { file in
      typeNames.matches(in: file.swift?.code ?? "").compactMap { match in
        let name = match.groups[1]
        return emptySuffix.isFound(in: name) && !fieldVocabulary.contains(name)
          ? .init(file, line: match.line, name) : nil
      }
    }
  },
  .ban(
    "names.prefixes",
    #"\b(?:protocol|class|struct|enum|actor)[ \t]+I[A-Z][a-z]\w*"#,
    in: { $0.isSource && $0.target != "StoreKit" },
    instead: "a protocol names a role, without a letter in front",
    bad: ["Sources/IAPKit/A.swift": "protocol IStore {}\n"],
    good: ["Sources/IAPKit/A.swift": "protocol Store {}\nprotocol IAPService {}\n"]
  ),
  .ban(
    "names.ids-are-types",
    #"(?<!\[)\b(?!requestID\b)\w*(?:ID|Id|Identifier)s?[ \t]*:[ \t]*(?:\[String\]|Set<String>|String\b)"#,
    in: { $0.isSource && !$0.mayHaveTextIdentifiers },
    instead:
      "use the type in IAPModel/Identifier.swift; texts belong to Wire folders and the facade",
    bad: ["Sources/IAPKit/Delivery/A.swift": "let productID: String\n"],
    good: [
      "Sources/IAPKit/Delivery/A.swift": "let productID: ProductID\n",
      "Sources/IAPModel/Wire/B.swift": "let productId: String\n",
    ]
  ),
  TidyRule(
    name: "names.closed-sets",
    remedy: "a set that Apple may extend is an OpenValue; one that we close goes on the list",
    bad: ["Sources/IAPModel/A.swift": "public enum OfferKind: String {\n  case a\n}\n"],
    good: ["Sources/IAPModel/A.swift": "public enum Parser {\n  static let a = 1\n}\n"]
  ) { tree in
    tree.sources.filter { clientTargets.contains($0.target ?? "") }.flatMap { file in
      rawEnums.matches(in: file.swift?.code ?? "").compactMap { match in
        closedSets.contains(match.groups[1])
          ? nil : .init(file, line: match.line, "public enum \(match.groups[1]) with raw values")
      }
    }
  },
  TidyRule(
    name: "names.file-is-type",
    remedy: "name the file after a type in it: Type.swift, Type+Topic.swift, Type.Nested.swift",
    bad: ["Sources/IAPKit/Stuff.swift": "public struct Receipt {}\n"],
    good: [
      "Sources/IAPKit/Receipt+Dates.swift": "extension Receipt {\n}\n",
      "Sources/iap/main.swift": "exit(0)\n",
    ]
  ) { tree in
    // A file of extensions, of several small types or of private ones is named after its topic.
    tree.sources.filter { $0.target != "StoreKit" }.compactMap { file in
      let stem = file.name.split { $0 == "+" || $0 == "." }.first.map(String.init) ?? ""
      let types = (file.outline?.declarations ?? []).filter { declaration in
        declaration.kind == .type && declaration.keyword != "extension"
          && declaration.enclosing.isEmpty && offered.isFound(in: declaration.header)
      }
      let all = typeNames.matches(in: file.swift?.code ?? "").map { $0.groups[1] }
      let named = all.flatMap { $0.split(separator: ".").map(String.init) }
      guard types.count == 1, !named.contains(stem), !stem.hasPrefix("Live") else { return nil }
      return .init(file, line: types[0].firstLine, "its only type is \(types[0].name)")
    }
  },
]

private let typeNames = Pattern(
  #"\b(?:class|struct|enum|protocol|actor|extension|typealias)[ \t]+(?!func\b|var\b|let\b|subscript\b)([A-Z][\w.]*)"#
)
private let emptySuffix = Pattern(
  #"(?:Manager|Helpers?|Utils?|Utilities|Service|Common|Base|Provider|Handler)$"#
)
private let offered = Pattern(#"\b(?:public|package)\b"#)
private let rawEnums = Pattern(
  #"^[ \t]*public[ \t]+(?:indirect[ \t]+)?enum[ \t]+(\w+)[ \t]*:[ \t]*(?:String|Int\d*|UInt\d*|Character)\b"#
)

/// The vocabulary of this field's users (style), and names that an interface forces.
private let fieldVocabulary: Set = [
  "IAPManager", "IAPService", "EntitlementManager", "SK1PurchaseService", "SK2PurchaseService",
  "DeliveryHandler", "HTTPHandler", "FileManager",
]

/// Sets that this project closes itself; Apple cannot add to them.
private let closedSets: Set = [
  "AccessSource", "DigestAlgorithm", "Kind", "Language", "LogLevel", "Origin", "PayloadKind",
  "Phase",
  "QuarantineReason", "Reason", "RecordState", "State", "StoreGeneration", "TransactionSource",
  "Unit",
]

/// Where Apple's values reach an app.
private let clientTargets: Set = [
  "IAPModel", "IAPEntitlements", "IAPSignatures", "IAPKit", "IAPKitCallbacks", "IAPKitTesting",
  "IAPKitUI",
]

extension ProjectFile {
  /// Where an identifier may be a text: the wire, Apple's own API, the client's facade, and an app
  /// that is written against it.
  fileprivate var mayHaveTextIdentifiers: Bool {
    if target == "StoreKit" || path.contains("/Wire/") { return true }
    if ["SimulatedApp", "IAPKitCallbacks", "IAPKitTesting", "IAPKitUI"].contains(target) {
      return true
    }
    return target == "IAPKit" && (facadeFiles.contains(name) || name.hasPrefix("IAPManager+"))
  }
}

/// The files that hold the facade's signatures, in which product and transaction ids are texts.
private let facadeFiles: Set = [
  "IAPManager.swift", "IAPService.swift", "IAPConfiguration.swift", "IAPError.swift",
  "IAPProduct.swift", "IAPTransactionResult.swift", "TransactionRecord.swift",
  "TransactionStore.swift", "SK1PurchaseService.swift", "SK2PurchaseService.swift",
  "ReceiptValidationResult.swift", "ReceiptValidator.swift", "PurchaseOptions.swift",
  "PurchaseState.swift", "PurchaseStates.swift", "SK1Error.swift", "SK2Error.swift",
  "EntitlementManager.swift",
  "PurchaseOutcome.swift", "IAPAppTransaction.swift", "IAPCatalog.swift",
  "MissingProductsReport.swift", "StartLine.swift",
  "OfferSigner.swift", "StoreAnchor.swift", "PromotedPurchase.swift", "AnalyticsEvent.swift",
  "PurchaseOffer.swift", "ServerOfferSigner.swift",
  "OrderNeedingAttention.swift", "QuarantineReport.swift",
]
