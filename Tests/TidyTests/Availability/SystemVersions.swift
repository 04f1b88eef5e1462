/// One of Apple's systems.
enum AppleSystem: String, Hashable, Sendable, CaseIterable {
  case iOS, macOS, tvOS, watchOS, visionOS
}

/// The oldest systems on which something exists.
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

  /// A system that is absent does not have it at all.
  var versions: [AppleSystem: Version]

  init(_ versions: [AppleSystem: Version]) { self.versions = versions }

  /// Systems of one season, the rest at their floor.
  init(iOS: Version, macOS: Version, tvOS: Version? = nil, watchOS: Version? = nil) {
    self = .floor
    versions[.iOS] = iOS
    versions[.macOS] = macOS
    if let tvOS { versions[.tvOS] = tvOS }
    if let watchOS { versions[.watchOS] = watchOS }
  }

  /// What the client promises to run on (requirements, A2).
  static let floor = SystemVersions([
    .iOS: Version(14), .macOS: Version(11), .tvOS: Version(14), .watchOS: Version(7),
    .visionOS: Version(1),
  ])

  /// Whether code that runs on all these systems may use what exists from `needed` on.
  func covers(_ needed: SystemVersions) -> Bool { lacks(needed).isEmpty }

  /// What is promised too little for something that is needed, one text for each system.
  func lacks(_ needed: SystemVersions) -> [String] {
    AppleSystem.allCases.compactMap { system in
      guard let promised = versions[system] else { return nil }
      guard let version = needed.versions[system] else { return "not on \(system)" }
      return version > promised ? "\(system) \(version) (promised \(promised))" : nil
    }
  }

  /// The newer of both, system by system; only the systems that this one has.
  func raised(to other: SystemVersions) -> SystemVersions {
    var result = self
    for (system, version) in versions {
      result.versions[system] = other.versions[system].map { max($0, version) } ?? version
    }
    return result
  }

  var description: String {
    AppleSystem.allCases.compactMap { system in
      versions[system].map { "\(system) \($0)" }
    }.joined(separator: ", ")
  }
}
