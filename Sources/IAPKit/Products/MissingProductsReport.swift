public import IAPModel

/// Which products the store did not name, and what usually is behind it.
///
/// StoreKit gives no reason for a missing product. The causes are what the client can infer from
/// what it sees, likeliest first; the kind of account that is signed in cannot be read by an app.
public struct MissingProductsReport: Hashable, Sendable {
  /// The ids that are missing, in the order asked for.
  public let ids: [String]
  /// Those of them that cannot exist and were not asked about.
  public let impossibleIds: [String]
  /// How many products were found.
  public let foundCount: Int
  /// The likely causes, likeliest first.
  public let causes: [MissingProductCause]
  /// Where purchases are made here, as far as it is known.
  public let surroundings: StoreSurroundings

  package init(_ answer: ProductAnswer, in surroundings: StoreSurroundings) {
    ids = answer.missing
    impossibleIds = answer.missing.filter { !ProductRequest.isPossible($0) }
    foundCount = answer.products.count
    self.surroundings = surroundings
    causes = Self.causes(
      hasImpossible: !impossibleIds.isEmpty,
      hasOthers: impossibleIds.count < ids.count,
      isEmptyAnswer: foundCount == 0,
      surroundings
    )
  }

  private static func causes(
    hasImpossible: Bool,
    hasOthers: Bool,
    isEmptyAnswer: Bool,
    _ surroundings: StoreSurroundings
  ) -> [MissingProductCause] {
    var causes: [MissingProductCause] = hasImpossible ? [.impossibleId] : []
    guard hasOthers else { return causes }
    let isTest = surroundings.isSandbox
    if isEmptyAnswer {
      // A local build sells from a configuration file, if from anything.
      if surroundings.isLocalBuild { causes.append(.configurationFileNotSelected) }
      // Without an account there is no storefront.
      if isTest, surroundings.storefront == nil { causes.append(.sandboxAccountMissing) }
      causes += [.agreementMissing, .wrongId, .bundleIdMismatch, .capabilityMissing]
      causes += isTest ? [.wildcardAppId, .buildSigning] : []
      if isTest, surroundings.storefront != nil { causes.append(.sandboxAccountMissing) }
      if isTest, !surroundings.isLocalBuild { causes.append(.configurationFileNotSelected) }
    } else {
      causes.append(.wrongId)
    }
    // What is sold at all is sold for money only after a review.
    causes += isTest ? [.stillPropagating, .notSoldInStorefront, .notApproved] : []
    causes += isTest ? [] : [.notApproved, .notSoldInStorefront, .stillPropagating]
    // The other products show that the app as a whole is set up.
    if !isEmptyAnswer, surroundings.isLocalBuild { causes.append(.configurationFileNotSelected) }
    return causes
  }

  /// The report in words, for a developer.
  ///
  /// - Parameter language: The language.
  /// - Returns: What is missing, the likely causes in order, and what is known of the surroundings.
  public func text(_ language: IAPError.Language) -> String {
    let list = ids.prefix(Self.idsShownMax).map { id in id.isEmpty ? "\"\"" : id }
    let more = ids.count > list.count ? " (+\(ids.count - list.count))" : ""
    let names = list.joined(separator: language == .english ? ", " : "、") + more
    let causes = causes.enumerated()
      .map { "\($0.offset + 1)) \($0.element.text(language))" }
    switch language {
    case .english:
      return "the store does not know \(names); found \(foundCount); likely causes: "
        + causes.joined(separator: "; ") + "; \(surroundings.text(language))"
    case .simplifiedChinese:
      return "商店未返回：\(names)；已找到 \(foundCount) 个；可能原因："
        + causes.joined(separator: "；") + "；\(surroundings.text(language))"
    }
  }

  /// How many ids a text names.
  static let idsShownMax = 20
}

/// Where purchases are made, as far as an app can see it.
public struct StoreSurroundings: Hashable, Sendable {
  /// The environment that signed data names; nil while there is none.
  public var environment: StoreEnvironment?
  /// The hint that decides until then.
  public var isSandboxHint: Bool
  /// Whether the app was built to run from Xcode, on the simulator for example.
  public var isLocalBuild: Bool
  /// The storefront's country, when an account says it.
  public var storefront: String?
  /// Which API is in use.
  public var generation: StoreGeneration

  package init(
    environment: StoreEnvironment? = nil,
    isSandboxHint: Bool,
    isLocalBuild: Bool = false,
    storefront: String?,
    generation: StoreGeneration
  ) {
    self.environment = environment
    self.isSandboxHint = isSandboxHint
    self.isLocalBuild = isLocalBuild
    self.storefront = storefront
    self.generation = generation
  }

  /// Whether purchases cost no money here: what signed data says, else the hint.
  public var isSandbox: Bool { environment.map { $0 != .production } ?? isSandboxHint }

  /// One line for the log.
  func text(_ language: IAPError.Language) -> String {
    let hint = isSandboxHint ? "sandbox" : "production"
    switch language {
    case .english:
      return "environment \(environment?.rawValue ?? "hint \(hint)")"
        + " (the kind of account cannot be read), storefront \(storefront ?? "unknown"),"
        + " \(generation)"
    case .simplifiedChinese:
      return "环境 \(environment?.rawValue ?? "推测为 \(hint)")（无法读取账户类型），"
        + "商店地区 \(storefront ?? "未知")，\(generation)"
    }
  }
}
