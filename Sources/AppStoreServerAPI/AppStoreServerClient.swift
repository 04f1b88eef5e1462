import Foundation
import HTTPValues
public import IAPModel
import Synchronization

/// Asks the App Store's server about one app.
///
/// It writes a token for each request, keeps below Apple's rates, tries again what may be tried
/// again, and asks production first where it is not known to which environment a purchase belongs.
///
/// - **Concurrency:** safe from any thread; the budgets are shared by all callers.
public final class AppStoreServerClient: Sendable {
  /// The longest answer that is read, in bytes.
  public static let answerBytesMax = 8 * 1024 * 1024
  /// How deep an answer may be nested.
  public static let answerDepthMax = 32
  /// The most pages of one list.
  public static let pagesMax = 100_000
  /// How the client names itself.
  static let userAgent = "IAPKit"

  /// The app.
  public let bundleID: BundleID

  private let hosts: AppStoreServerHosts
  private let tokens: BearerTokenWriter
  private let policy: CallPolicy
  private let world: AppStoreServerWorld
  private let budgets = Mutex<[BudgetKey: RateBudget]>([:])
  /// Is told of every call; set once by whoever watches.
  private let watcher = Mutex<(@Sendable (AppStoreCallNote) -> Void)?>(nil)

  private struct BudgetKey: Hashable {
    let endpoint: ServerAPIEndpoint
    let isProduction: Bool
  }

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - bundleID: The app.
  ///   - key: The key that signs its tokens.
  ///   - hosts: Where the App Store's server is.
  ///   - policy: How often a call is tried, and how long it may wait.
  ///   - world: Time, chance and the network.
  public init(
    bundleID: BundleID,
    key: AppStoreServerKey,
    hosts: AppStoreServerHosts = .apple,
    policy: CallPolicy = CallPolicy(),
    world: AppStoreServerWorld
  ) {
    self.bundleID = bundleID
    self.hosts = hosts
    self.policy = policy
    self.world = world
    tokens = BearerTokenWriter(key: key, bundleID: bundleID)
  }

  /// Asks at one address.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - environment: Production, or anything else for the sandbox. Xcode's purchases are known at
  ///     neither.
  /// - Returns: The answer.
  /// - Throws: ``AppStoreServerError``; retryable ones were tried as often as the policy says.
  public func answer<Answer>(
    to request: ServerAPIRequest<Answer>,
    in environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> Answer {
    for attempt in 1..<policy.attemptsMax {
      do throws(AppStoreServerError) {
        return try await attemptOnce(request, environment)
      } catch {
        let mayRepeat = request.isRepeatable || error.code == .rateLimited
        guard error.isRetryable, mayRepeat else { throw error }
        let wait =
          error.retryAt.map { max(0, $0.timeIntervalSince(world.now())) }
          ?? backoff(after: attempt)
        guard wait <= policy.waitMax else { throw error }
        try await sleep(wait)
      }
    }
    return try await attemptOnce(request, environment)
  }

  /// Asks production, and the sandbox when production knows no such purchase.
  ///
  /// - Parameter request: What is asked.
  /// - Returns: The answer, and where it is from.
  /// - Throws: ``AppStoreServerError``. That a purchase is not known is thrown only when both say
  ///   so; when the sandbox cannot be asked, that is what is thrown.
  public func find<Answer>(
    _ request: ServerAPIRequest<Answer>
  ) async throws(AppStoreServerError) -> (answer: Answer, environment: StoreEnvironment) {
    do throws(AppStoreServerError) {
      return (try await answer(to: request, in: .production), .production)
    } catch {
      guard error.apiCode?.meansUnknownHere == true else { throw error }
    }
    return (try await answer(to: request, in: .sandbox), .sandbox)
  }

  /// Walks through a list, page by page.
  ///
  /// - Parameters:
  ///   - environment: Where it is asked for.
  ///   - mark: Where to begin; nil for the beginning.
  ///   - request: The request for the page behind a mark, always with the same filter.
  ///   - take: Is given each page and says whether to go on; what it keeps of
  ///     ``ServerAPIPage/mark`` is where a later walk can begin.
  /// - Throws: ``AppStoreServerError``; the pages that were taken before stay taken.
  public func forEachPage<Page: ServerAPIPage>(
    in environment: StoreEnvironment,
    from mark: PageMark? = nil,
    _ request: (PageMark?) -> ServerAPIRequest<Page>,
    take: (Page) async -> Bool
  ) async throws(AppStoreServerError) {
    var mark = mark
    for _ in 0..<Self.pagesMax {
      let page = try await answer(to: request(mark), in: environment)
      guard await take(page), page.hasMore else { return }
      guard let next = page.mark, next != mark else {
        throw AppStoreServerError(.answerMalformed, "a page says that there is more and not where")
      }
      mark = next
    }
    throw AppStoreServerError(.answerMalformed, "a list has more than \(Self.pagesMax) pages")
  }

  // MARK: One attempt

  private func attemptOnce<Answer>(
    _ request: ServerAPIRequest<Answer>,
    _ environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> Answer {
    try await waitForBudget(request.endpoint, environment)
    let begin = world.now()
    func note(_ outcome: String) {
      let seconds = world.now().timeIntervalSince(begin)
      watcher.withLock(\.self)?(
        AppStoreCallNote(request.endpoint.rawValue, environment, outcome, seconds: seconds)
      )
    }
    do throws(AppStoreServerError) {
      let answer = try await send(request, environment)
      note("answered")
      return answer
    } catch {
      note(error.code.rawValue)
      throw error
    }
  }

  private func send<Answer>(
    _ request: ServerAPIRequest<Answer>,
    _ environment: StoreEnvironment
  ) async throws(AppStoreServerError) -> Answer {
    let host = environment == .production ? hosts.production : hosts.sandbox
    var headers: HTTPHeaders = ["Accept": "application/json", "User-Agent": Self.userAgent]
    headers["Authorization"] = "Bearer " + (try tokens.token(at: world.now()))
    if let body = request.body { headers["Content-Type"] = body.mediaType }
    let outgoing = HTTPOutgoingRequest(
      method: request.method,
      url: host + request.target,
      headers: headers,
      body: request.body?.bytes ?? [],
      timeout: .seconds(policy.timeout)
    )
    let response: HTTPResponse
    do {
      response = try await world.send(outgoing)
    } catch is CancellationError {
      throw AppStoreServerError(.cancelled, "the caller gave up")
    } catch {
      // What the transport says may hold an address with an identifier in it.
      throw AppStoreServerError(.unreachable, "no response to \(request.endpoint.rawValue)")
    }
    let answer = ServerAPIResponse(response, now: world.now())
    switch answer {
    case .answer(let object):
      do throws(PayloadError) {
        return try request.read(object)
      } catch {
        throw AppStoreServerError(
          .answerMalformed,
          "\(request.endpoint.rawValue): \(error.reason)",
          status: response.status
        )
      }
    case .failure(let error):
      if error.code == .rateLimited, let date = error.retryAt {
        close(request.endpoint, environment, until: date)
      }
      throw error
    }
  }

  // MARK: Watching

  /// Has somebody told of every call; the latest watcher only.
  package func watch(_ watcher: @escaping @Sendable (AppStoreCallNote) -> Void) {
    self.watcher.withLock { $0 = watcher }
  }

  /// What is left of the budgets that were touched, in the order of the endpoints' names.
  package var budgetLevels: [AppStoreBudgetLevel] {
    let now = world.now()
    let levels = budgets.withLock { budgets in
      budgets.map { key, budget in
        AppStoreBudgetLevel(
          endpoint: key.endpoint,
          isProduction: key.isProduction,
          remaining: budget.remaining(at: now)
        )
      }
    }
    return levels.sorted { $0.endpoint.rawValue < $1.endpoint.rawValue }
  }

  // MARK: Budgets and waits

  private func waitForBudget(
    _ endpoint: ServerAPIEndpoint,
    _ environment: StoreEnvironment
  ) async throws(AppStoreServerError) {
    // Others take from the same budget while this one waits; all together it waits no longer than
    // the policy says.
    let start = world.now()
    var now = start
    var wait = withBudget(endpoint, environment) { $0.take(at: now) }
    while wait > 0 {
      guard now.timeIntervalSince(start) + wait <= policy.waitMax else {
        throw AppStoreServerError(
          .rateLimited,
          "the budget of \(endpoint.rawValue) is used up",
          retryAt: now.addingTimeInterval(wait)
        )
      }
      try await sleep(wait)
      now = max(world.now(), now.addingTimeInterval(wait))
      wait = withBudget(endpoint, environment) { $0.take(at: now) }
    }
  }

  private func close(
    _ endpoint: ServerAPIEndpoint,
    _ environment: StoreEnvironment,
    until date: Date
  ) {
    withBudget(endpoint, environment) { $0.close(until: date) }
  }

  private func withBudget<Result>(
    _ endpoint: ServerAPIEndpoint,
    _ environment: StoreEnvironment,
    _ body: (inout RateBudget) -> Result
  ) -> Result {
    let isProduction = environment == .production
    let rate = Double(endpoint.rate.rawValue) * policy.rateShare / (isProduction ? 1 : 10)
    let now = world.now()
    return budgets.withLock { budgets in
      let key = BudgetKey(endpoint: endpoint, isProduction: isProduction)
      var budget = budgets[key] ?? RateBudget(rate: rate, at: now)
      defer { budgets[key] = budget }
      budget.divide(among: world.servers(), at: now)
      return body(&budget)
    }
  }

  // Full jitter keeps many callers from coming back at the same instant.
  private func backoff(after attempt: Int) -> TimeInterval {
    let longest = policy.firstDelay * Double(1 << min(attempt - 1, 16))
    return min(policy.waitMax, longest * (0.5 + world.random() / 2))
  }

  private func sleep(_ seconds: TimeInterval) async throws(AppStoreServerError) {
    do {
      try await world.sleep(seconds)
    } catch {
      throw AppStoreServerError(.cancelled, "the caller gave up")
    }
  }
}
