import Foundation

/// Where a server listens: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: Hashable, Sendable {
  let host: String
  let port: Int

  /// Reads a text; nil when it is none.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
      let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    host = text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = Int(port)
  }

  /// Whether only this machine reaches a host.
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
