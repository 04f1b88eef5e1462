import AppStoreServerAPI
import Foundation
import HTTPClient
import HTTPValues

/// What the doctor takes from outside.
struct DoctorWorld: Sendable {
  /// A file in a folder.
  struct File: Sendable {
    let name: String
    let modified: Date
    let bytes: Int64
  }

  /// The wall clock.
  var now: @Sendable () -> Date
  /// Sends one request.
  var send: @Sendable (HTTPOutgoingRequest) async throws(HTTPClientError) -> HTTPResponse
  /// How many bytes are left for a user on the disk of a folder; nil when nobody knows.
  var freeBytes: @Sendable (_ folder: String) -> Int64?
  /// The files in a folder; nil when it cannot be read.
  var files: @Sendable (_ folder: String) -> [File]?
  /// Waits for so many seconds.
  var pause: @Sendable (TimeInterval) async -> Void
  /// The product identifiers that an app's sources name.
  var productIDs: @Sendable (_ folder: String) async -> LiveAppSources.Answer
  /// What asks the App Store.
  var apple: AppStoreServerWorld
}
