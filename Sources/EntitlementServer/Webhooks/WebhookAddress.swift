import HTTPValues

/// The address of an endpoint: a URL that was taken apart strictly, and every part of it judged.
///
/// Parsers disagree about odd URLs, and what one takes for a path another takes for a host. So only
/// plain ones are taken, and the text that goes to the client is put together again from its parts.
struct WebhookAddress: Hashable, Sendable {
  let isEncrypted: Bool
  let host: String
  let port: Int
  /// Path and query, from the first slash on.
  let target: String

  /// The longest URL, in bytes.
  static let bytesMax = 2048
  /// The longest name of a host, in bytes.
  static let hostBytesMax = 253
  /// The ports that events are sent to, beside those of this machine in a test.
  static let ports = [443, 8443]

  /// Why a URL is not taken.
  enum Refusal: String, Hashable, Sendable {
    case tooLong, characters, scheme, credentials, host, port, fragment

    /// What a URL would have to be.
    var wanted: String {
      switch self {
      case .tooLong: "a URL of at most \(WebhookAddress.bytesMax) bytes"
      case .characters: "a URL of plain characters, others percent-encoded"
      case .scheme: "an https URL"
      case .credentials: "a URL without a user name or password"
      case .host: "a URL whose host is a public name or address"
      case .port:
        "a URL to port " + WebhookAddress.ports.map(String.init).joined(separator: " or ")
      case .fragment: "a URL without a fragment"
      }
    }

    var error: ServerError { RequestMembers.invalid("url", wanted) }
  }

  /// Takes a URL apart.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - allowsLoopback: Whether this machine itself is allowed, then without encryption and on
  ///     any port too.
  /// - Throws: ``ServerError`` that says what a URL would have to be.
  init(_ text: String, allowsLoopback: Bool) throws(ServerError) {
    guard text.utf8.count <= Self.bytesMax else { throw Refusal.tooLong.error }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.forbidden.contains($0) }) else {
      throw Refusal.characters.error
    }
    guard !text.contains("#") else { throw Refusal.fragment.error }
    let lowered = text.lowercased()
    isEncrypted = lowered.hasPrefix("https://")
    guard isEncrypted || lowered.hasPrefix("http://") else { throw Refusal.scheme.error }
    let rest = text.dropFirst(isEncrypted ? 8 : 7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw Refusal.credentials.error }
    let behind = rest.dropFirst(authority.count)
    target = behind.hasPrefix("/") ? String(behind) : "/" + behind
    let (name, portText) = try Self.split(authority)
    host = name
    let isOwn = allowsLoopback && Self.isOwn(name)
    guard isOwn || !Self.isOwn(name), isOwn || Self.isPublicName(name) else {
      throw Refusal.host.error
    }
    guard isEncrypted || isOwn else { throw Refusal.scheme.error }
    guard let port = portText.map({ Self.port($0) }) ?? (isEncrypted ? 443 : 80),
      isOwn || Self.ports.contains(port)
    else { throw Refusal.port.error }
    self.port = port
  }

  private static let forbidden = Set("\"<>\\^`{|}".utf8)

  /// The host as it is looked up: without the brackets of IPv6.
  var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

  /// The URL, put together again.
  var url: String { "\(isEncrypted ? "https" : "http")://\(host):\(port)\(target)" }

  private static func split(
    _ authority: Substring
  ) throws(ServerError) -> (host: String, port: Substring?) {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw Refusal.host.error }
      let inner = authority[authority.index(after: authority.startIndex)..<end]
      let rest = authority[authority.index(after: end)...]
      guard InternetAddress(String(inner)).map({ !$0.isVersion4 }) == true else {
        throw Refusal.host.error
      }
      guard rest.isEmpty || rest.hasPrefix(":") else { throw Refusal.host.error }
      return ("[\(inner.lowercased())]", rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return (parts[0].lowercased(), parts.count == 2 ? parts[1] : nil)
  }

  private static func port(_ text: Substring) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = Int(text), (1...65_535).contains(port)
    else { return nil }
    return port
  }

  /// Whether a host is this machine by its spelling.
  private static func isOwn(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return InternetAddress(bare).map { AddressPolicy.isLoopback($0) } ?? false
  }

  /// Whether a host is a public address, or a name that can be one's in public.
  private static func isPublicName(_ host: String) -> Bool {
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if let address = InternetAddress(bare) { return AddressPolicy.refusal(of: address) == nil }
    guard host.utf8.count <= hostBytesMax else { return false }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last, labels.allSatisfy({ isLabel($0) }) else {
      return false
    }
    // What ends in a number is an address to some readers: 127.1, 0x7f.1, 2130706433.
    let isNumeric = last.utf8.allSatisfy { (48...57).contains($0) } || last.hasPrefix("0x")
    return !isNumeric && !localEndings.contains(String(last))
      && !localNames.contains { host == $0 || host.hasSuffix("." + $0) }
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { byte in
        (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 95
      }
  }

  /// Endings of names that are never public.
  private static let localEndings: Set = [
    "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "invalid",
    "onion", "test", "example",
  ]
  private static let localNames = ["home.arpa", "in-addr.arpa", "ip6.arpa"]
}
