public import Foundation
public import IAPModel

/// What came out of looking at signed bytes.
///
/// A verdict is data. An error is thrown only when it was not possible to look.
public enum Verdict<Payload: Sendable>: Sendable {
  /// Every rule holds.
  case accepted(Verified<Payload>)
  /// At least one rule fails; all that do are listed, in the order of the rules.
  case refused([RuleFailure])

  /// The verified value, nil when it was refused.
  public var accepted: Verified<Payload>? {
    if case .accepted(let value) = self { value } else { nil }
  }

  /// The rules that failed; empty when it was accepted.
  public var failures: [RuleFailure] {
    if case .refused(let failures) = self { failures } else { [] }
  }

  /// Turns findings into a verdict: the only place where a verified value is made.
  init(findings: Findings, evidence: Verified<Payload>.Evidence?) {
    if findings.failures.isEmpty, let evidence {
      self = .accepted(Verified(evidence))
    } else if findings.failures.isEmpty {
      self = .refused([
        RuleFailure(part: findings.part, rule: .payload, reason: "there is nothing to accept")
      ])
    } else {
      self = .refused(findings.failures)
    }
  }
}

extension Verdict: Equatable where Payload: Equatable {}

/// A payload whose signature, chain, app and environment were all found right.
///
/// Only a verifier makes one.
public struct Verified<Payload: Sendable>: Sendable {
  /// What the signed bytes say.
  public let payload: Payload
  /// Where it was signed: sandbox data is marked as such, and never counts as production.
  public let environment: StoreEnvironment
  /// When it was signed.
  public let signedDate: Date
  /// The instant at which the certificates were found valid.
  public let judgedAt: Date
  /// Whose roots were trusted.
  public let trust: TrustAnchors.Kind
  /// The chains of everything that was signed, each once; empty where a certificate stands alone.
  public let chains: [VerifiedChain]

  /// Whether other roots than Apple's were trusted: answers must say so.
  public var isSimulated: Bool { trust != .apple }

  struct Evidence {
    var payload: Payload
    var environment: StoreEnvironment
    var signedDate: Date
    var judgedAt: Date
    var trust: TrustAnchors.Kind
    var chains: [VerifiedChain]
  }

  fileprivate init(_ evidence: Evidence) {
    payload = evidence.payload
    environment = evidence.environment
    signedDate = evidence.signedDate
    judgedAt = evidence.judgedAt
    trust = evidence.trust
    chains = evidence.chains
  }
}

extension Verified: Equatable where Payload: Equatable {}
extension Verified: Hashable where Payload: Hashable {}

/// One rule that failed, and why.
public struct RuleFailure: Hashable, Sendable, CustomStringConvertible {
  /// The signed thing that the rule was applied to.
  public var part: SignedPart
  /// The rule.
  public var rule: Rule
  /// What was seen and what was expected; no identifiers of customers.
  public var reason: String

  /// Makes a failure.
  ///
  /// - Parameters:
  ///   - part: The signed thing that the rule was applied to.
  ///   - rule: The rule.
  ///   - reason: What was seen and what was expected.
  public init(part: SignedPart, rule: Rule, reason: String) {
    self.part = part
    self.rule = rule
    self.reason = reason
  }

  /// Part, rule and reason.
  public var description: String { "\(part).\(rule): \(reason)" }
}

/// A signed thing.
public struct SignedPart: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word.
  public let rawValue: String
  /// Makes a part from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The word.
  public var description: String { rawValue }
  /// A signed transaction.
  public static let transaction = Self(rawValue: "transaction")
  /// Signed renewal info.
  public static let renewalInfo = Self(rawValue: "renewalInfo")
  /// A signed app transaction.
  public static let appTransaction = Self(rawValue: "appTransaction")
  /// A notification.
  public static let notification = Self(rawValue: "notification")
  /// A receipt.
  public static let receipt = Self(rawValue: "receipt")
}

/// What the rules found out about one signed thing.
struct Findings {
  let part: SignedPart
  private(set) var failures: [RuleFailure] = []
  private var open: [Rule] = []

  init(part: SignedPart) { self.part = part }

  mutating func add(_ rule: Rule, _ judgement: Judgement) {
    switch judgement {
    case .holds: break
    case .fails(let reason):
      failures.append(RuleFailure(part: part, rule: rule, reason: reason))
    case .open: open.append(rule)
    }
  }

  mutating func add(contentsOf other: [RuleFailure]) { failures += other }

  /// Puts other findings behind these, open questions included.
  mutating func merge(_ other: Findings) {
    failures += other.failures
    open += other.open
  }

  /// Ends the examination: a rule that could not be applied is a failure unless another failed.
  mutating func close() {
    guard failures.isEmpty else { return }
    for rule in open {
      failures.append(RuleFailure(part: part, rule: rule, reason: "the rule could not be applied"))
    }
  }
}

/// What one rule says about the evidence.
enum Judgement: Equatable {
  /// The rule holds.
  case holds
  /// The rule fails, and why.
  case fails(String)
  /// What the rule looks at is missing, which is another rule's failure.
  case open
}
