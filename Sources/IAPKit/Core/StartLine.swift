import Foundation
import IAPModel

/// What the log says at the start, and about products that are missing.
struct StartLine {
  let configuration: IAPConfiguration
  let adapter: any StoreAdapter & ProductSource
  let store: TransactionStore

  /// Writes the line: environment, storefront, generation, products and what is left to do.
  func write(to log: @Sendable (LogLine) -> Void) async {
    let storefront = await adapter.storefrontCode() ?? "unknown"
    let open = store.orders.filter { $0.state == .opened || $0.state == .pending }.count
    log(
      LogLine(
        .info,
        "started: environment hint \(configuration.isSandbox ? "sandbox" : "production")"
          + " (the kind of account cannot be read), storefront \(storefront),"
          + " \(adapter.generation), products \(configuration.productIds.joined(separator: " ")),"
          + " open orders \(open), unfinished records \(store.pendingRecords().count)"
      )
    )
  }

  /// The line about ids that the store does not know, with what usually is behind it.
  static func missing(_ answer: ProductAnswer) -> LogLine {
    let causes =
      answer.products.isEmpty
      ? "agreement or tax form missing, bundle id mismatch, wildcard app id, build signing,"
        + " capability missing, sandbox account not signed in, StoreKit configuration file not"
        + " selected"
      : "wrong id, product not approved, not sold in this storefront, still propagating"
    return LogLine(
      .warning,
      "the store does not know \(answer.missing.joined(separator: " ")); likely causes: \(causes)"
    )
  }
}
