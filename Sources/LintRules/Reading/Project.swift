import SwiftSyntax

/// An app's sources, parsed, with what rules ask about all of them.
struct Project: Sendable {
  let units: [SourceUnit]
  let types: [String: TypeFacts]
  let bodies: [CodeBody]
  /// What the `.storekit` files beside the sources sell.
  let catalog: CatalogIDs
  /// Whether whole projects were given, not just some files of one.
  let hasProjectFile: Bool
  /// Where the app sells.
  let sold: Sold
  private let bodiesByName: [String: [Int]]
  /// The bodies of each file, for looking up what is around a node.
  private let bodiesByUnit: [Int: [Int]]
  private let unitNumbers: [String: Int]
  /// The bodies that run when the app is launched.
  let launched: Set<Int>

  init(_ sources: [LintSource], hasProjectFile: Bool = false) {
    units = sources.filter { $0.path.hasSuffix(".swift") }.map(SourceUnit.init)
    sold = Sold(units)
    catalog = CatalogIDs(sources.filter { $0.path.hasSuffix(".storekit") })
    self.hasProjectFile =
      hasProjectFile || sources.contains { $0.path.split(separator: "/").last == "Package.swift" }
    var types: [String: TypeFacts] = [:]
    var bodies: [CodeBody] = []
    for (number, unit) in units.enumerated() {
      typeFacts(of: unit.tree, into: &types)
      bodies += CodeBody.all(in: unit.tree, unit: number)
    }
    self.types = types
    self.bodies = bodies
    let numbered = bodies.indices.filter { [units, bodies] in !units[bodies[$0].unit].isTest }
    let byName = Dictionary(grouping: numbered) { [bodies] in bodies[$0].name }
    let byType = Dictionary(grouping: numbered.filter { [bodies] in bodies[$0].typeName != nil }) {
      [bodies] in bodies[$0].typeName ?? ""
    }
    bodiesByName = byName
    bodiesByUnit = Dictionary(grouping: bodies.indices) { [bodies] in bodies[$0].unit }
    unitNumbers = Dictionary(units.enumerated().map { ($1.path, $0) }) { first, _ in first }
    launched = Self.launched(bodies, types, byName, byType, units)
  }

  /// The app's own files.
  var appUnits: [SourceUnit] { units.filter { !$0.isTest } }
  var testUnits: [SourceUnit] { units.filter(\.isTest) }

  func unit(of body: CodeBody) -> SourceUnit { units[body.unit] }
  func type(of body: CodeBody) -> TypeFacts? { body.typeName.flatMap { types[$0] } }

  /// The bodies of the app's own files, with their numbers.
  var appBodies: [(number: Int, body: CodeBody)] {
    bodies.enumerated().filter { !units[$0.element.unit].isTest }.map { ($0.offset, $0.element) }
  }

  /// The innermost body around a node of a unit.
  func body(around node: some SyntaxProtocol, in unit: SourceUnit) -> Int? {
    (unitNumbers[unit.path].flatMap { bodiesByUnit[$0] } ?? [])
      .filter { node.isInside(bodies[$0].code) }
      .min { bodies[$0].code.totalLength.utf8Length < bodies[$1].code.totalLength.utf8Length }
  }

  /// Every body that can be reached from some code by the names in it.
  ///
  /// Names are all there is without types, so this finds too much rather than too little.
  func reachable(from names: Set<String>, depth: Int = 6) -> Set<Int> {
    var found: Set<Int> = []
    var open = names
    var seen: Set<String> = []
    for _ in 0..<depth {
      var next: Set<String> = []
      for name in open.subtracting(seen) {
        seen.insert(name)
        for number in bodiesByName[name] ?? [] where found.insert(number).inserted {
          next.formUnion(bodies[number].names)
        }
      }
      if next.isEmpty { break }
      open = next
    }
    return found
  }

  /// The names in some code and in everything that it can reach.
  func namesReachable(from names: Set<String>, depth: Int = 6) -> Set<String> {
    reachable(from: names, depth: depth).reduce(into: names) { $0.formUnion(bodies[$1].names) }
  }

  /// Whether there is a place where an app begins.
  var hasLaunch: Bool {
    types.values.contains { $0.isApp || $0.isAppDelegate }
      || appUnits.contains { $0.path.split(separator: "/").last == "main.swift" }
  }

  /// Whether enough of an app was given to say that something is missing in it.
  var isApp: Bool {
    hasLaunch || hasProjectFile || !catalog.products.isEmpty
      || types.values.contains { $0.isScreen }
  }

  private static func launched(
    _ bodies: [CodeBody],
    _ types: [String: TypeFacts],
    _ byName: [String: [Int]],
    _ byType: [String: [Int]],
    _ units: [SourceUnit]
  ) -> Set<Int> {
    var found: Set<Int> = []
    // What the app shows first runs at launch as well.
    let first = bodies.filter { $0.typeName.flatMap { types[$0] }?.isApp == true }
      .reduce(into: Set<String>()) { $0.formUnion($1.names) }
    var open: [Int] = bodies.indices.filter { number in
      let body = bodies[number]
      guard !units[body.unit].isTest else { return false }
      if body.kind == .script { return true }
      guard let type = body.typeName.flatMap({ types[$0] }) else { return false }
      if type.isApp || (first.contains(type.name) && body.name == "body") { return true }
      if type.isAppDelegate || type.isSceneDelegate {
        return body.kind != .function || launchCalls.contains(body.callName)
      }
      return false
    }
    while let number = open.popLast() {
      guard found.insert(number).inserted else { continue }
      for name in bodies[number].names {
        // A type that is named is made: its initialisers and first values run.
        for made in byType[name] ?? [] {
          switch bodies[made].kind {
          case .initializer, .value: open.append(made)
          case .function, .deinitializer, .accessors, .script: break
          }
        }
        for called in byName[name] ?? [] where bodies[called].kind != .value {
          // What a screen shows runs when it is shown.
          let type = bodies[called].typeName.flatMap { types[$0] }
          if type?.isScreen == true, !(type?.isApp ?? false), screenMoments.contains(name) {
            continue
          }
          open.append(called)
        }
        for value in byName[name] ?? [] where bodies[value].kind == .value { open.append(value) }
      }
    }
    return found
  }

  private static let screenMoments: Set = [
    "body", "viewDidLoad", "viewWillAppear", "viewDidAppear", "awakeFromNib",
  ]
  private static let launchCalls: Set = [
    "application(_:didFinishLaunchingWithOptions:)",
    "application(_:willFinishLaunchingWithOptions:)",
    "applicationDidFinishLaunching(_:)", "applicationWillFinishLaunching(_:)",
    "applicationDidFinishLaunching()", "scene(_:willConnectTo:options:)",
  ]
}

extension CodeBody {
  /// The name with its labels: `scene(_:willConnectTo:options:)`.
  var callName: String {
    guard let function = declaration.as(FunctionDeclSyntax.self) else { return name }
    let labels = function.signature.parameterClause.parameters.map { $0.firstName.text + ":" }
    return name + "(" + labels.joined() + ")"
  }
}
