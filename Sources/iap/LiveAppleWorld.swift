import AppStoreServerAPI
import Foundation
import HTTPClient

extension AppStoreServerWorld {
  /// The real time, chance and network.
  static func live() -> AppStoreServerWorld {
    let client = HTTPClient()
    return AppStoreServerWorld(
      now: { Date() },
      sleep: { try await Task.sleep(for: .seconds($0)) },
      random: { Double.random(in: 0..<1) },
      uuid: { UUID() },
      send: { try await client.send($0) }
    )
  }
}
