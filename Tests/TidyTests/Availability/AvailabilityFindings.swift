import Foundation

/// What an app is linked with, as the Makefile lists it.
enum ClientModules {
  static let names: Set<String> = {
    let makefile = SourceTree.project.file("Makefile")?.text ?? ""
    let line = makefile.split(separator: "\n").first { $0.hasPrefix("CLIENT :=") } ?? ""
    return Set(line.dropFirst("CLIENT :=".count).split(separator: " ").map(String.init))
  }()
}

/// Symbols of which the toolchain does not say since when Apple's systems have them, looked up by a
/// person in Apple's documentation.
enum UndatedSymbols {
  /// Those that are at least as old as the client's floor.
  static let reviewed: Set<String> = {
    let path = SourceTree.root.appendingPathComponent("Tests/Tables/undated-symbols.tsv").path
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return Set(
      text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.split(separator: "\t").first.map(String.init) }
    )
  }()
}

/// Holds uses of symbols against what the source promises at their place.
struct AvailabilityFindings {
  private let versions: SymbolVersions
  private let own: [String]
  private let excused: Set<String>

  /// Makes the comparison.
  ///
  /// - Parameters:
  ///   - versions: What is known of the symbols.
  ///   - own: The modules that are looked at: their own symbols are as old as they are.
  ///   - excused: Uses that are right all the same.
  init(
    _ versions: SymbolVersions,
    own: Set<String> = ClientModules.names,
    excused: Set<String> = []
  ) {
    self.versions = versions
    self.own = own.map { "\($0.utf8.count)\($0)" }
    self.excused = excused
  }

  /// One text for each line and symbol that does not fit, in order.
  func of(_ uses: [IndexStore.Use]) throws -> [String] {
    var findings: Set<String> = []
    for (path, uses) in Dictionary(grouping: uses, by: \.file) {
      let doubtful = uses.filter { versions[$0.usr] != nil || isUnknown($0.usr) }
      guard !doubtful.isEmpty else { continue }
      let source = SourceText(try String(contentsOfFile: path, encoding: .utf8))
      let scopes = AvailabilityScopes(code: source.code)
      let name = URL(fileURLWithPath: path).lastPathComponent
      for use in doubtful where !scopes.isLinuxOnly(line: use.line) {
        guard !excused.contains("\(name): \(use.name)") else { continue }
        let promised = scopes.promised(line: use.line, column: use.column)
        guard let problem = problem(use, promised) else { continue }
        findings.insert("\(name):\(use.line): \(problem)")
      }
    }
    return findings.sorted()
  }

  private func problem(_ use: IndexStore.Use, _ promised: SystemVersions) -> String? {
    switch versions[use.usr] {
    case .newer(let needed):
      let lacks = promised.lacks(needed)
      return lacks.isEmpty ? nil : "\(use.name): \(lacks.joined(separator: ", "))"
    case .undated(let name):
      return UndatedSymbols.reviewed.contains(name) ? nil : "\(name) has no date"
    case .notApples(let name): return "Apple's StoreKit has no public \(name)"
    case nil:
      return UndatedSymbols.reviewed.contains(use.name) ? nil : "\(use.name) is of no known module"
    }
  }

  /// Whether a symbol is of no module that was read, and not the client's own.
  private func isUnknown(_ usr: String) -> Bool {
    // An import names a module, which is no symbol.
    guard !usr.hasPrefix("c:@M@") else { return false }
    return !versions.knows(usr) && !own.contains { usr.contains($0) }
  }
}
