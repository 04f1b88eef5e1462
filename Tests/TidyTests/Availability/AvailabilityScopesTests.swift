import Foundation
import Testing

@Suite("Availability scopes")
struct AvailabilityScopesTests {
  private let newer = SystemVersions(
    iOS: SystemVersions.Version(15),
    macOS: SystemVersions.Version(12)
  )

  /// The lines on which the mark `USE` stands with iOS 15 promised.
  private func promisedLines(_ text: String) -> [Int] {
    let scopes = AvailabilityScopes(code: SourceText(text).code)
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        guard let use = line.range(of: "USE") else { return nil }
        let column = line.utf8.distance(from: line.startIndex, to: use.lowerBound) + 1
        return scopes.promised(line: index + 1, column: column).covers(newer) ? index + 1 : nil
      }
  }

  @Test func aConditionGuardsItsBlockAndNoOther() {
    let text = """
      USE
      if #available(iOS 15, macOS 12, tvOS 15, watchOS 8, *), USE {
        USE { USE }
      } else {
        USE
      }
      USE
      """
    #expect(promisedLines(text) == [2, 3])
  }

  @Test func aGuardPromisesTheRestOfTheBlockAroundIt() {
    let text = """
      func f() {
        USE
        guard #available(iOS 15.0, macOS 12.0, *) else {
          return
        }
        USE
        if x { USE }
      }
      USE
      """
    #expect(promisedLines(text) == [6, 7])
  }

  @Test func anAttributePromisesItsDeclaration() {
    let text = """
      @available(iOS 15, macOS 12, *)
      @MainActor
      struct A: B {
        USE
      }
      USE
      @available(iOS 15, macOS 12, *) func f(
        a: USE
      ) async throws
        -> USE { USE }
      protocol P {
        @available(iOS 15, macOS 12, *)
        func f() -> USE
        USE
      }
      """
    #expect(promisedLines(text) == [4, 8, 10, 13])
  }

  @Test func aSystemThatIsNotNamedIsNotPromised() {
    #expect(promisedLines("if #available(iOS 15, *) { USE }") == [])
    #expect(promisedLines("if #available(iOS 14.5, macOS 12, *) { USE }") == [])
    #expect(promisedLines("@available(*, deprecated) func f() { USE }") == [])
    #expect(promisedLines("if #unavailable(iOS 15, macOS 12) { USE }") == [])
  }

  @Test func whatOnlyLinuxCompilesIsLeftOut() {
    let text = """
      #if os(Linux)
      a
      #else
      b
      #endif
      #if !os(Linux)
      c
      #else
      d
      #endif
      #if canImport(FoundationNetworking)
      import FoundationNetworking
      #endif
      """
    let scopes = AvailabilityScopes(code: SourceText(text).code)
    #expect((1...13).filter { scopes.isLinuxOnly(line: $0) } == [2, 9, 12])
  }

  @Test(
    "a condition leaves systems out",
    arguments: [
      ("os(iOS) || os(visionOS)", ["iOS", "visionOS"]),
      ("!os(watchOS) && !os(tvOS)", ["iOS", "macOS", "visionOS"]),
      ("canImport(UIKit) && !(os(tvOS) || os(watchOS))", ["iOS", "visionOS"]),
      ("canImport(AppKit)", ["macOS"]),
      ("canImport(ObjectiveC)", ["iOS", "macOS", "tvOS", "visionOS", "watchOS"]),
      ("os(Linux)", []),
      ("DEBUG && os(iOS)", ["iOS"]),
    ]
  )
  func conditions(_ condition: String, _ systems: [String]) {
    let code = "#if \(condition)\nUSE\n#endif\n"
    let promised = AvailabilityScopes(code: code).promised(line: 2, column: 1)
    #expect(promised.versions.keys.map(\.rawValue).sorted() == systems)
  }

  @Test func anElseTakesWhatIsLeft() {
    let code = "#if os(iOS)\na\n#elseif os(macOS)\nb\n#else\n#if DEBUG\nc\n#endif\n#endif\nd\n"
    let scopes = AvailabilityScopes(code: code)
    let systems = { (line: Int) in
      scopes.promised(line: line, column: 1).versions.keys.map(\.rawValue).sorted()
    }
    #expect(systems(2) == ["iOS"])
    #expect(systems(4) == ["macOS"])
    #expect(systems(7) == ["tvOS", "visionOS", "watchOS"])
    #expect(systems(10).count == 5)
  }
}
