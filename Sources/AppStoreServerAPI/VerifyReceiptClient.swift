import Foundation
import HTTPValues
public import IAPModel
import Synchronization

/// What `verifyReceipt` says of a receipt.
public enum VerifyReceiptVerdict: Hashable, Sendable {
  /// It is genuine; the members of the answer.
  case accepted(JSONObject, StoreEnvironment)
  /// It is not.
  case rejected(VerifyReceiptStatus)
}

/// The number that `verifyReceipt` answers with.
///
/// - **Source:** App Store Receipts, "status".
public struct VerifyReceiptStatus: OpenValue {
  /// Apple's number.
  public let rawValue: Int
  /// Makes the status from Apple's number.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Genuine.
  public static let valid = Self(rawValue: 0)
  /// Not a POST.
  public static let notPosted = Self(rawValue: 21000)
  /// No longer sent.
  public static let retired = Self(rawValue: 21001)
  /// Malformed, or a passing trouble of the service.
  public static let malformedOrBusy = Self(rawValue: 21002)
  /// Not authentic.
  public static let notAuthentic = Self(rawValue: 21003)
  /// The shared secret is wrong.
  public static let wrongSecret = Self(rawValue: 21004)
  /// The service is down.
  public static let unavailable = Self(rawValue: 21005)
  /// Genuine, and the subscription is over: old transaction receipts only.
  public static let validButExpired = Self(rawValue: 21006)
  /// A sandbox receipt at the production address.
  public static let sandboxReceipt = Self(rawValue: 21007)
  /// A production receipt at the sandbox address.
  public static let productionReceipt = Self(rawValue: 21008)
  /// A failure inside.
  public static let dataAccessFailed = Self(rawValue: 21009)
  /// The account is gone: as if never bought.
  public static let accountNotFound = Self(rawValue: 21010)
  /// Failures inside, retryable when the answer says so.
  public static let internalFailures = 21100...21199

  enum Meaning: Hashable { case genuine, forged, elsewhere, again, misconfigured }

  /// What to do about it.
  func meaning(isRetryable: Bool) -> Meaning {
    switch self {
    case .valid, .validButExpired: .genuine
    case .notAuthentic, .accountNotFound: .forged
    case .sandboxReceipt, .productionReceipt: .elsewhere
    case .malformedOrBusy, .unavailable, .dataAccessFailed, .retired: .again
    case .wrongSecret, .notPosted: .misconfigured
    default:
      Self.internalFailures.contains(rawValue) && !isRetryable ? .forged : .again
    }
  }
}

/// Asks Apple's old service about a receipt: production first, the sandbox when told so.
///
/// - **Concurrency:** safe from any thread.
public struct VerifyReceiptClient: Sendable {
  /// The longest receipt that is sent, in bytes.
  public static let receiptBytesMax = 4 * 1024 * 1024

  /// The most requests in a second, on average: Apple gives no number, and asks for restraint.
  public static let requestsPerSecondMax = 10.0

  private let hosts: AppStoreServerHosts
  private let sharedSecret: String?
  private let policy: CallPolicy
  private let world: AppStoreServerWorld
  private let budget: SharedBudget

  /// One budget for every copy of the client.
  private final class SharedBudget: Sendable {
    let budget: Mutex<RateBudget>
    /// Is told of every call; set once by whoever watches.
    let watcher = Mutex<(@Sendable (AppStoreCallNote) -> Void)?>(nil)
    init(_ budget: RateBudget) { self.budget = Mutex(budget) }
  }

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - hosts: Where the service is.
  ///   - sharedSecret: The app's; needed for receipts with subscriptions.
  ///   - policy: How often a call is tried, and how long it may wait.
  ///   - world: Time, chance and the network.
  public init(
    hosts: AppStoreServerHosts = .appleReceipts,
    sharedSecret: String?,
    policy: CallPolicy = CallPolicy(),
    world: AppStoreServerWorld
  ) {
    self.hosts = hosts
    self.sharedSecret = sharedSecret
    self.policy = policy
    self.world = world
    budget = SharedBudget(
      RateBudget(rate: Self.requestsPerSecondMax * policy.rateShare, at: world.now())
    )
  }

  /// Asks about a receipt.
  ///
  /// Each address is asked about its own receipts only, and never twice in turn: a sandbox that
  /// says "production" after production said "sandbox" is no answer.
  ///
  /// - Parameters:
  ///   - receipt: Standard base64 without line breaks.
  ///   - excludesOld: Whether only the latest renewal of each subscription is wanted.
  /// - Returns: The verdict.
  /// - Throws: ``AppStoreServerError`` when there is none; a malformed receipt is
  ///   ``VerifyReceiptVerdict/rejected(_:)`` once the service has said so as often as it is tried.
  public func verify(
    receipt: String,
    excludesOld: Bool = false
  ) async throws(AppStoreServerError) -> VerifyReceiptVerdict {
    guard receipt.utf8.count <= Self.receiptBytesMax else {
      throw AppStoreServerError(.requestInvalid, "a receipt has at most 4 MiB")
    }
    let first = try await ask(receipt, excludesOld, in: .production)
    guard first.status == .sandboxReceipt else { return try verdict(first, .production) }
    let second = try await ask(receipt, excludesOld, in: .sandbox)
    return try verdict(second, .sandbox)
  }

  private struct Answer {
    let status: VerifyReceiptStatus
    let meaning: VerifyReceiptStatus.Meaning
    let object: JSONObject
  }

  private func verdict(
    _ answer: Answer,
    _ environment: StoreEnvironment
  ) throws(AppStoreServerError) -> VerifyReceiptVerdict {
    switch answer.meaning {
    case .genuine: return .accepted(answer.object, environment)
    case .forged: return .rejected(answer.status)
    // It was asked often enough for a passing trouble.
    case .again where answer.status == .malformedOrBusy: return .rejected(answer.status)
    case .again: throw AppStoreServerError(.serverFailed, "status \(answer.status)")
    case .elsewhere:
      throw AppStoreServerError(
        .serverFailed,
        "both addresses send the receipt to the other: status \(answer.status)"
      )
    case .misconfigured:
      throw AppStoreServerError(.unauthorized, "the set-up is wrong: status \(answer.status)")
    }
  }

  private func ask(
    _ receipt: String,
    _ excludesOld: Bool,
    in environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> Answer {
    for attempt in 1..<policy.attemptsMax {
      do throws(AppStoreServerError) {
        let answer = try await askOnce(receipt, excludesOld, in: environment)
        guard answer.meaning == .again else { return answer }
      } catch {
        guard error.isRetryable else { throw error }
      }
      let longest = policy.firstDelay * Double(1 << min(attempt - 1, 16))
      do {
        try await world.sleep(min(policy.waitMax, longest * (0.5 + world.random() / 2)))
      } catch {
        throw AppStoreServerError(.cancelled, "the caller gave up")
      }
    }
    return try await askOnce(receipt, excludesOld, in: environment)
  }

  private func waitForBudget() async throws(AppStoreServerError) {
    var waited = 0.0
    var now = world.now()
    var wait = take(at: now)
    while wait > 0 {
      guard waited + wait <= policy.waitMax else {
        throw AppStoreServerError(
          .rateLimited,
          "the budget of verifyReceipt is used up",
          retryAt: now.addingTimeInterval(wait)
        )
      }
      do {
        try await world.sleep(wait)
      } catch {
        throw AppStoreServerError(.cancelled, "the caller gave up")
      }
      waited += wait
      now = max(world.now(), now.addingTimeInterval(wait))
      wait = take(at: now)
    }
  }

  private func take(at now: Date) -> TimeInterval {
    budget.budget.withLock { budget in
      budget.divide(among: world.servers(), at: now)
      return budget.take(at: now)
    }
  }

  /// The name under which calls are counted.
  package static let endpointName = "verifyReceipt"

  /// Has somebody told of every call of this client and its copies.
  package func watch(_ watcher: @escaping @Sendable (AppStoreCallNote) -> Void) {
    budget.watcher.withLock { $0 = watcher }
  }

  private func askOnce(
    _ receipt: String,
    _ excludesOld: Bool,
    in environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> Answer {
    try await waitForBudget()
    let begin = world.now()
    func note(_ outcome: String) {
      let seconds = world.now().timeIntervalSince(begin)
      budget.watcher.withLock(\.self)?(
        AppStoreCallNote(Self.endpointName, environment, outcome, seconds: seconds)
      )
    }
    do throws(AppStoreServerError) {
      let answer = try await send(receipt, excludesOld, in: environment)
      note("answered")
      return answer
    } catch {
      note(error.code.rawValue)
      throw error
    }
  }

  private func send(
    _ receipt: String,
    _ excludesOld: Bool,
    in environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> Answer {
    var members = [JSONMember("receipt-data", .string(receipt))]
    if let sharedSecret { members.append(JSONMember("password", .string(sharedSecret))) }
    if excludesOld { members.append(JSONMember("exclude-old-transactions", true)) }
    let host = environment == .production ? hosts.production : hosts.sandbox
    let response: HTTPResponse
    do {
      response = try await world.send(
        HTTPOutgoingRequest(
          method: .post,
          url: host + "/verifyReceipt",
          headers: ["Content-Type": "application/json"],
          body: JSONValue.object(JSONObject(members)).serialized,
          timeout: .seconds(policy.timeout)
        )
      )
    } catch is CancellationError {
      throw AppStoreServerError(.cancelled, "the caller gave up")
    } catch {
      throw AppStoreServerError(.unreachable, "no response to verifyReceipt")
    }
    switch ServerAPIResponse(response, now: world.now()) {
    case .failure(let error): throw error
    case .answer(let object):
      guard let number = object["status"]?.integerValue.flatMap({ Int(exactly: $0) }) else {
        throw AppStoreServerError(.answerMalformed, "verifyReceipt answers without a status")
      }
      let status = VerifyReceiptStatus(rawValue: number)
      let flag = object["is_retryable"] ?? object["is-retryable"]
      let isRetryable = flag == true || flag == "1" || flag == "true" || flag == 1
      return Answer(
        status: status,
        meaning: status.meaning(isRetryable: isRetryable),
        object: object
      )
    }
  }
}
