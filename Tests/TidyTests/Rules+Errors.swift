import Foundation

/// One error type a module, and typed throws in public API.
let errorRules: [TidyRule] = [
  TidyRule(
    name: "errors.one-type",
    remedy: "give the module's one error type a new code",
    bad: [
      "Sources/MicroHTTP/A.swift": "struct A: Error {}\n",
      "Sources/MicroHTTP/B.swift": "enum B: LocalizedError, Sendable {}\n",
    ],
    good: [
      "Sources/MicroHTTP/A.swift": "struct A: Error {}\nextension A: LocalizedError {}\n",
      "Sources/HTTPClient/B.swift": "struct B: Error {}\n",
    ]
  ) { tree in
    let sources = tree.sources.filter { $0.target != "StoreKit" }
    return Dictionary(grouping: sources) { $0.target ?? "" }.flatMap { target, files in
      let found = files.flatMap { file in
        (file.outline?.declarations ?? [])
          .filter { $0.conformsToError && !underlyingCauses.contains($0.name) }.map { (file, $0) }
      }
      guard Set(found.map { $0.1.name }).count > 1 else { return [TidyRule.Finding]() }
      return found.map { file, declaration in
        .init(file, line: declaration.firstLine, "\(target) also has the error \(declaration.name)")
      }
    }
  },
  TidyRule(
    name: "errors.typed-throws",
    remedy: "write throws(TheModulesError); protocols that apps implement are the exception",
    bad: ["Sources/MicroHTTP/A.swift": "public func start() throws -> Int {\n  1\n}\n"],
    good: [
      "Sources/MicroHTTP/A.swift": """
      public func start() throws(HTTPError) -> Int {
        1
      }
      public init(from decoder: any Decoder) throws {
      }
      func inside() throws {
      }

      """
    ]
  ) { tree in
    tree.sources.filter { $0.target != "StoreKit" && $0.target != "iap" }.flatMap { file in
      Signature.all(in: file.swift?.code ?? "").compactMap { signature -> TidyRule.Finding? in
        guard bareThrows.isFound(in: signature.effects), file.isPublic(signature) else {
          return nil
        }
        let isCoding =
          signature.parameters.contains("any Decoder")
          || signature.parameters.contains("any Encoder")
        let isFacade =
          ["IAPKit", "IAPKitTesting"].contains(file.target)
          && facadeFunctions.contains(signature.name)
        // Waiting ends with the standard CancellationError, as on the standard clocks.
        return isCoding || isFacade || signature.name == "sleep"
          ? nil : .init(file, line: signature.line, "\(signature.name) \(signature.effects)")
      }
    }
  },
]

/// Errors that only stand inside the facade's enum, as what lies underneath.
private let underlyingCauses: Set = ["SignatureNotVerified"]

/// Functions of the facade that keep the plain `throws` of the usual signatures, and requirements
/// of protocols that apps implement.
private let facadeFunctions: Set = [
  "loadProducts", "purchase", "restore", "save", "markConsumed", "validate", "acknowledge",
  "sign",
  "load", "write", "report",
]

private let bareThrows = Pattern(#"\bthrows\b(?!\s*\()"#)
private let errorConformance = Pattern(
  #":[^{]*(?<![\w.])(?:Error|LocalizedError|CustomNSError|RecoverableError)\b"#
)
private let publicWord = Pattern(#"\b(?:public|open)\b"#)

extension Declaration {
  fileprivate var conformsToError: Bool {
    kind == .type && keyword != "protocol" && errorConformance.isFound(in: header.beforeWhere)
  }
}

extension String {
  fileprivate var beforeWhere: String {
    guard let range = range(of: "where ") else { return self }
    return String(self[..<range.lowerBound])
  }
}

extension ProjectFile {
  /// Whether a signature is public by its own word or as a requirement of a public protocol.
  fileprivate func isPublic(_ signature: Signature) -> Bool {
    if publicWord.isFound(in: signature.modifiers) { return true }
    return (outline?.declarations ?? []).contains { declaration in
      declaration.keyword == "protocol" && declaration.isPublic
        && (declaration.firstLine...declaration.lastLine).contains(signature.line)
    }
  }
}
