import AppStoreSimulator
import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import ServerStorage

/// Everything that `iap bench` measures; each raw limit stands before what is compared with it.
struct BenchmarkSuite: Sendable {
  let benchmarks: [Benchmark]
  /// Removes what the measurements wrote.
  let cleanUp: @Sendable () -> Void

  /// Prepares every measurement.
  ///
  /// - Parameters:
  ///   - now: When the made certificates are valid.
  ///   - isBig: Whether the largest ledger is measured as well.
  ///   - database: The address of a PostgreSQL that is measured too.
  /// - Returns: The suite.
  /// - Throws: ``CommandError`` when something cannot be made.
  static func make(
    now: Date,
    isBig: Bool,
    database: String? = nil
  ) throws(CommandError) -> BenchmarkSuite {
    let folder = try LiveScratch.makeFolder()
    do {
      return BenchmarkSuite(
        benchmarks: try VerificationBenchmarks.make(now: now) + receipt(now: now)
          + StoreBenchmarks.make(now: now)
          + IngestBenchmarks.make(folder: folder, database: database)
          + ServerBenchmarks.make(now: now, folder: folder)
          + LedgerScaleBenchmarks.make(folder: folder, isBig: isBig)
          + DashboardBenchmarks.make(folder: folder, isBig: isBig)
          + JournalBenchmarks.make(folder: folder) + StartBenchmarks.make(folder: folder),
        cleanUp: { LiveScratch.remove(folder) }
      )
    } catch {
      LiveScratch.remove(folder)
      throw CommandError(
        .failed,
        Words("the measurements could not be prepared: \(error)", zh: "无法准备测量：\(error)")
      )
    }
  }

  /// A receipt of the simulated store with one purchase in it.
  private static func receipt(now: Date) throws -> [Benchmark] {
    let crypto = try OpenSSLPrimitives()
    let store = try SimulatedAppStore(
      configuration: StoreConfiguration(
        catalog: try DemoCatalog.load(),
        bundleID: DemoCatalog.bundleID,
        appAppleID: DemoCatalog.appAppleID,
        start: now
      ),
      signing: crypto
    )
    try store.addAccount("mia")
    try store.addDevice("phone", account: "mia")
    _ = try store.purchase(PurchaseRequest(device: "phone", productID: DemoCatalog.lifetime))
    let receipt = try store.receipt(on: "phone") ?? []
    let verifier = ReceiptVerifier(
      anchors: try .simulated([try store.receiptRootCertificate()]),
      origin: ExpectedOrigin(
        apps: [.init(bundleID: DemoCatalog.bundleID, appAppleID: nil)],
        environments: [.sandbox]
      ),
      crypto: crypto,
      cache: BoundedChainCache()
    )
    let whole = Benchmark(
      "receipt",
      Words("receipt: verify and read", zh: "收据：验证并读取"),
      limit: VerificationBenchmarks.receiptLimit
    ) { (try? verifier.verify(receipt))?.accepted != nil }
    return [try VerificationBenchmarks.bareReceiptCheck(crypto), whole]
  }
}
