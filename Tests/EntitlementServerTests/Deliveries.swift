import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import SQLiteStorage
import ServerStorage
import Testing

/// Something that is sent to a server.
struct Parcel: Hashable, Sendable {
  /// When it was sent first.
  let sent: Date
  let path: String
  let body: [UInt8]

  /// A notification.
  init(notification text: String, sent: Date) {
    self.sent = sent
    path = "/v1/notifications/apple"
    body = JSONValue.object(["signedPayload": .string(text)]).serialized
  }

  /// A signed transaction that an app presents.
  init(transaction text: String, sent: Date) {
    self.sent = sent
    path = "/v1/verify"
    body = JSONValue.object(["signedTransaction": .string(text)]).serialized
  }
}

/// A way in which parcels can come: each at an instant.
struct Deliveries: Sendable {
  /// The longest delay of a parcel.
  static let delayMax: TimeInterval = 72 * 3600
  /// One in so many hundred comes twice.
  static let duplicatePercent = 30

  private(set) var parcels: [(arrival: Date, parcel: Parcel)]

  /// In order, each at once.
  init(inOrder parcels: [Parcel]) {
    self.parcels = parcels.sorted { $0.sent < $1.sent }.map { ($0.sent, $0) }
  }

  /// In a certain order, one after the other, all of them late.
  init(asGiven parcels: [Parcel]) {
    let last = parcels.map(\.sent).max() ?? .distantPast
    self.parcels = parcels.map { (last, $0) }
  }

  /// Each delayed by up to 72 hours, and 30 % of them twice.
  init(_ parcels: [Parcel], seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var result: [(arrival: Date, parcel: Parcel)] = []
    for parcel in parcels {
      let isDuplicate = Int.random(in: 0..<100, using: &random) < Self.duplicatePercent
      for _ in 0..<(isDuplicate ? 2 : 1) {
        let delay = TimeInterval.random(in: 0...Self.delayMax, using: &random)
        result.append((parcel.sent.addingTimeInterval(delay), parcel))
      }
    }
    // Two that arrive at the same instant are in no order.
    result.shuffle(using: &random)
    self.parcels = result.sorted { $0.arrival < $1.arrival }
  }

  /// Those of them that arrive up to an instant, its millisecond included.
  func through(_ end: Date) -> Deliveries {
    var some = self
    some.parcels = parcels.filter { $0.arrival.milliseconds <= end.milliseconds }
    return some
  }

  /// Twice as many as were sent come twice, in any order, all of them late.
  init(shuffled parcels: [Parcel], seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let more = parcels.filter { _ in
      Int.random(in: 0..<100, using: &random) < Self.duplicatePercent
    }
    self.init(asGiven: (parcels + more).shuffled(using: &random))
  }
}

/// Brings parcels to servers and says which state they end in.
struct DeliveryRun: Sendable {
  let roots: [[UInt8]]
  let app: ServerApp
  /// At which instant access is compared.
  let end: Date
  /// How far the servers' clock is off.
  var clockError: TimeInterval = 0
  /// How many parcels come at the same time.
  var width = 1

  struct NotTaken: Error {
    let status: Int
    let body: JSONObject
  }

  private var scopes: [LedgerScope] {
    [.production, .sandbox].map { LedgerScope(app: app.bundleID, environment: $0) }
  }

  /// Delivers to one server in memory.
  func dump(_ deliveries: Deliveries) async throws -> LedgerDump {
    let ledger = InMemoryLedger()
    try await deliver(deliveries.parcels[...], to: ledger)
    return try await ledger.dump(of: scopes, at: end)
  }

  /// Delivers to a server on a file that is composed anew on the same file several times.
  func dump(_ deliveries: Deliveries, restarts: Int) async throws -> LedgerDump {
    var result: LedgerDump?
    try await withTemporaryFolder { folder in
      let parcels = deliveries.parcels
      let step = parcels.count / (restarts + 1)
      for part in 0...restarts {
        let ledger = try SQLiteLedger(path: folder + "/ledger.sqlite")
        let begin = part * step
        let end = part == restarts ? parcels.count : begin + step
        try await deliver(parcels[begin..<end], to: ledger)
        if part == restarts { result = try await ledger.dump(of: scopes, at: self.end) }
        await ledger.close()
      }
    }
    guard let result else { throw NotTaken(status: 0, body: [:]) }
    return result
  }

  /// Delivers to a server on a ledger.
  func deliver(_ deliveries: Deliveries, to ledger: any Ledger) async throws {
    try await deliver(deliveries.parcels[...], to: ledger)
  }

  private func deliver(
    _ parcels: ArraySlice<(arrival: Date, parcel: Parcel)>,
    to ledger: any Ledger
  ) async throws {
    let server = try BareServer(
      ledger: ledger,
      roots: roots,
      apps: [app],
      now: parcels.first?.arrival ?? end
    )
    var rest = parcels
    while let first = rest.first {
      let group = rest.prefix(width)
      rest = rest.dropFirst(width)
      server.setNow(first.arrival.addingTimeInterval(clockError))
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for (_, parcel) in group {
          tasks.addTask {
            let answer = try await server.post(parcel.path, parcel.body)
            guard answer.status == 200 else {
              throw NotTaken(status: answer.status, body: answer.body)
            }
          }
        }
        try await tasks.waitForAll()
      }
    }
  }
}

/// Expects two dumps to be equal, and says where they are not.
func expectSame(
  _ dump: LedgerDump,
  _ expected: LedgerDump,
  _ note: String,
  at location: SourceLocation = #_sourceLocation
) {
  // Dumps are long: only the lines that differ are worth reading.
  let isSame = dump == expected
  let lines = isSame ? [] : Array(dump.differences(from: expected).prefix(8))
  #expect(isSame, "\(note) \(lines)", sourceLocation: location)
}
