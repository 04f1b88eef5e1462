/// The oldest systems on which something exists. Absent means: no promise.
struct SystemVersions: Hashable, Sendable, CustomStringConvertible {
  /// A version such as 12.3, comparable.
  struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    let major: Int
    let minor: Int

    init(_ major: Int, _ minor: Int = 0) {
      self.major = major
      self.minor = minor
    }

    /// Reads `15`, `15.0` or `15.0.1`; nil for anything else.
    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ".").map { Int($0) }
      guard let first = parts.first, let major = first else { return nil }
      self.init(major, parts.count > 1 ? parts[1] ?? 0 : 0)
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.major, left.minor) < (right.major, right.minor)
    }

    var description: String { "\(major).\(minor)" }
  }

  let iOS: Version
  let macOS: Version

  /// What the client promises to run on (requirements, A2).
  static let floor = SystemVersions(iOS: Version(14), macOS: Version(11))

  /// Whether code that runs on these systems may use what exists from `needed` on.
  func covers(_ needed: SystemVersions) -> Bool { needed.iOS <= iOS && needed.macOS <= macOS }

  /// The newer of both, system by system.
  func raised(to other: SystemVersions) -> SystemVersions {
    SystemVersions(iOS: max(iOS, other.iOS), macOS: max(macOS, other.macOS))
  }

  var description: String { "iOS \(iOS), macOS \(macOS)" }
}
