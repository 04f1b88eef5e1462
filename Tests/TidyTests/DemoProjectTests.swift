import Foundation
import Testing

/// The project file of the demo app was written by hand: it is held against the folder.
@Suite("Demo project")
struct DemoProjectTests {
  private let tree = SourceTree.project
  private let project: String
  private let scheme: String

  init() throws {
    let folder = "Demo/IAPDemo.xcodeproj"
    project = try #require(tree.file("\(folder)/project.pbxproj")?.text)
    let schemes = "\(folder)/xcshareddata/xcschemes"
    scheme = try #require(tree.file("\(schemes)/IAPDemo.xcscheme")?.text)
  }

  private func all(_ pattern: String, in text: String) -> [String] {
    Pattern(pattern).matches(in: text).map { $0.groups[1] }
  }

  /// The sources that are compiled, by their comments in the lists of the build phases.
  private var compiled: Set<String> {
    Set(all(#"^\t\t\t\t[0-9A-F]{24} /\* (\S+) in Sources \*/,"#, in: project))
  }

  @Test func namesEverySourceOfTheFolder() {
    let sources = tree.files.filter { $0.isIn("Demo/IAPDemo") || $0.isIn("Demo/IAPDemoTests") }
      .map(\.name).filter { $0.hasSuffix(".swift") || $0.hasSuffix(".m") }
    #expect(sources.count > 8)
    #expect(compiled == Set(sources))
    let files = tree.files.filter { $0.isIn("Demo/IAPDemo") }.map(\.name)
    let referenced = Set(all(#"path = "?([^";]+)"?; sourceTree = "<group>""#, in: project))
    #expect(Set(files).subtracting(referenced) == [])
  }

  @Test func definesEveryObjectOnce() {
    let defined = all(#"^\t\t([0-9A-F]{24})(?: /\*[^\n]*?\*/)? = \{"#, in: project)
    let mentioned = all(#"\b([0-9A-F]{24})\b"#, in: project)
    #expect(defined.count == Set(defined).count)
    #expect(Set(mentioned) == Set(defined))
  }

  @Test func pointsAtFilesThatAreThere() throws {
    let settings = ["INFOPLIST_FILE", "SWIFT_OBJC_BRIDGING_HEADER", "CODE_SIGN_ENTITLEMENTS"]
    for setting in settings {
      let paths = Set(all(#"(?<![A-Z_])\#(setting) = "?([^";]+)"?;"#, in: project))
      #expect(paths.count == 1)
      for path in paths { #expect(tree.file("Demo/" + path) != nil, "\(path)") }
    }
    #expect(scheme.contains(#"identifier = "../Demo.storekit""#))
    #expect(tree.file("Demo/Demo.storekit") != nil)
  }

  @Test func runsTheTargetsOfTheScheme() {
    for id in all(#"BlueprintIdentifier = "([0-9A-F]{24})""#, in: scheme) {
      #expect(project.contains("\t\t\(id) /* IAPDemo"), "\(id)")
    }
  }

  @Test func sellsTheProductsOfTheConfigurationFile() throws {
    let storeKit = try #require(tree.file("Demo/Demo.storekit")?.text)
    let sold = Set(all(#""productID" : "([^"]+)""#, in: storeKit))
    let code = try #require(tree.file("Demo/IAPDemo/DemoProducts.swift")?.text)
    #expect(sold == Set(all(#""(com\.example\.demo\.[^"]+)""#, in: code)))
    let info = try #require(tree.file("Demo/IAPDemo/Info.plist")?.text)
    #expect(sold == Set(all(#"<string>(com\.example\.demo\.[^<]+)</string>"#, in: info)))
    #expect(code.contains(#"group = "DE300020""#) && storeKit.contains(#""id" : "DE300020""#))
  }
}
