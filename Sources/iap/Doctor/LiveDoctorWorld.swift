import AppStoreServerAPI
import Foundation
import HTTPClient
import HTTPValues

extension DoctorWorld {
  /// This machine.
  ///
  /// - Parameter path: The folders in which programs are looked for, divided by colons.
  /// - Returns: The world.
  static func live(path: String) -> DoctorWorld {
    let client = HTTPClient()
    return DoctorWorld(
      now: { Date() },
      send: { request async throws(HTTPClientError) in try await client.send(request) },
      freeBytes: { folder in
        var found = statvfs()
        guard statvfs(folder, &found) == 0 else { return nil }
        return Int64(found.f_bavail) * Int64(found.f_frsize)
      },
      files: { folder in
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
          return nil
        }
        return names.compactMap { name in
          let path = folder + "/" + name
          guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            facts[.type] as? FileAttributeType == .typeRegular,
            let modified = facts[.modificationDate] as? Date
          else { return nil }
          let bytes = (facts[.size] as? NSNumber)?.int64Value ?? 0
          return File(name: name, modified: modified, bytes: bytes)
        }
      },
      pause: { await LivePause.wait(seconds: $0) },
      productIDs: { await LiveAppSources.productIDs(in: $0, path: path) },
      apple: .live()
    )
  }
}
