public import ServerStorage

extension EntitlementServer {
  /// Counts what happened to the ledger's database, and writes it into the log.
  ///
  /// - Parameter notice: What happened.
  public func note(_ notice: LedgerNotice) {
    guard notice.kind != .slowStatement else {
      parts.metrics.count(.slow, ["what": "statement"])
      parts.world.log(
        ServerEvent(
          .notice,
          "slowQuery",
          [
            .init("what", "statement"), .init("milliseconds", "\(notice.milliseconds)"),
            .init("statement", notice.details),
          ]
        )
      )
      return
    }
    parts.metrics.count(.database, ["event": notice.kind.rawValue])
    parts.world.log(
      ServerEvent(
        notice.kind == .repeated ? .info : .notice,
        "database",
        [.init("event", notice.kind.rawValue), .init("details", notice.details)]
      )
    )
  }
}
