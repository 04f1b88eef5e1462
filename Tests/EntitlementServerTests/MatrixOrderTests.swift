import AppStoreSimulator
import EntitlementServer
import Foundation
import IAPModel
import ServerStorage
import Testing

/// Every row of the table of notifications, driven through the simulated store and brought to the
/// server in every way.
@Suite(.enabled(if: ServerVectors.arePresent, "no test vectors: set IAP_VECTORS"))
struct MatrixOrderTests {
  private func rows() throws -> [JSONObject] {
    let bytes = try ServerVectors.bytes("made-here-notification-matrix/matrix.json")
    return try JSONParser.parseObject(bytes, limits: .document)["rows"]?.arrayValue?
      .compactMap(\.objectValue) ?? []
  }

  private func name(_ row: JSONObject) -> String {
    [row["notificationType"]?.stringValue, row["subtype"]?.stringValue].compactMap { $0 }
      .joined(separator: "/")
  }

  @Test func everyRowEndsInOneStateWhateverTheOrder() async throws {
    let rows = try rows()
    #expect(rows.count == 37)
    var permutations = 0
    var facts = 0
    for row in rows {
      let name = name(row)
      let store = try #require(try EventfulStore.living(name), "nothing makes \(name)")
      let made = store.notifications.map { record in
        [record.type.rawValue, record.subtype?.rawValue].compactMap { $0 }.joined(separator: "/")
      }
      #expect(made.contains(name), "\(name) in \(made)")
      let parcels = try store.notifications.map { record in
        Parcel(notification: try store.signedNotification(record), sent: record.signedDate)
      }
      facts += parcels.count
      var run = DeliveryRun(
        roots: [store.jwsRootCertificate],
        app: ServerApp(bundleID: DemoCatalog.bundleID, appAppleID: DemoCatalog.appAppleID),
        end: store.clock.now
      )
      let expected = try await run.dump(Deliveries(inOrder: parcels))
      let isLong = OrderIndependenceTests.isLong
      let seeds = 1...(isLong ? 8 : 2) as ClosedRange<UInt64>
      let orders =
        OrderIndependenceTests.orders(parcels).prefix(isLong ? .max : 6)
        .map { Deliveries(asGiven: $0) }
        + seeds.map { Deliveries(shuffled: parcels, seed: $0) }
        + seeds.map { Deliveries(parcels, seed: $0) }
      for deliveries in orders {
        let dump = try await run.dump(deliveries)
        expectSame(dump, expected, "\(name): ")
        permutations += 1
      }
      run.width = 2
      let file = try await run.dump(Deliveries(parcels, seed: 9), restarts: 2)
      expectSame(file, expected, "\(name): ")
      permutations += 1
    }
    print("ORDERS matrix: 37 rows, \(facts) facts, \(permutations) permutations, one state each")
  }
}
