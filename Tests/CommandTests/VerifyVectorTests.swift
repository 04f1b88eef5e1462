import Foundation
import IAPModel
import IAPSignatures
import OpenSSLCrypto
import Testing

/// `iap verify` and `iap receipt` at every signed text and receipt of the vectors: the rules that
/// fail are those of the verifier itself.
@Suite(.enabled(if: CommandVectors.folder != nil, "no test vectors: set IAP_VECTORS"))
struct VerifyVectorTests {
  private let folder: URL
  private let crypto: OpenSSLPrimitives
  /// The day on which the vectors were made.
  private let now = Date(timeIntervalSince1970: 1_796_000_000)

  init() throws {
    folder = try #require(CommandVectors.folder)
    crypto = try OpenSSLPrimitives()
  }

  private struct Entry: Decodable {
    var file: String
    var kind: String?
  }

  private func manifest(_ name: String) throws -> [Entry] {
    struct Manifest: Decodable { var vectors: [Entry] }
    let data = try Data(contentsOf: folder.appendingPathComponent(name + "/manifest.json"))
    return try JSONDecoder().decode(Manifest.self, from: data).vectors
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
  }

  private func origin(_ environment: StoreEnvironment) -> ExpectedOrigin {
    ExpectedOrigin(
      apps: [.init(bundleID: "com.example", appAppleID: AppAppleID(1234))],
      environments: [environment]
    )
  }

  private func rules(_ words: [String]) async throws -> Set<String> {
    let outcome = try await CommandProcess.run(words)
    let object = try JSONParser.parseObject(Array(outcome.output.utf8), limits: .document)
    let failures = object["failures"]?.arrayValue?.compactMap { $0.objectValue?["rule"] } ?? []
    #expect(outcome.status == (failures.isEmpty ? 0 : 1), "\(words)")
    return Set(failures.compactMap(\.stringValue))
  }

  /// Compares a few at a time: each is a process of its own.
  private func compare(
    _ cases: [(name: String, words: [String], expected: Set<String>)]
  ) async throws {
    var rest = cases[...]
    while !rest.isEmpty {
      let group = rest.prefix(4)
      rest = rest.dropFirst(4)
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for one in group {
          tasks.addTask {
            let found = try await rules(one.words)
            #expect(found == one.expected, "\(one.name)")
          }
        }
        try await tasks.waitForAll()
      }
    }
  }

  @Test func signedTextsGetTheVerdictOfTheVerifier() async throws {
    let root = "derived-jws/pki/root.der"
    var cases: [(name: String, words: [String], expected: Set<String>)] = []
    for entry in try manifest("derived-jws") {
      let environment = entry.file.hasPrefix("43-") ? StoreEnvironment.production : .sandbox
      let verifier = JWSVerifier(
        anchors: try .simulated([try bytes(root)]),
        origin: origin(environment),
        crypto: crypto
      )
      let text = try bytes("derived-jws/" + entry.file)
      let isTransaction = entry.kind == "transaction"
      let failures =
        isTransaction
        ? try verifier.transaction(text, instant: .at(now)).failures
        : try NotificationVerifier(verifier: verifier).verify(text, instant: .at(now)).failures
      let words = [
        "verify", "--json", "--kind", isTransaction ? "transaction" : "notification", "--root",
        folder.path + "/" + root, "--bundle", "com.example", "--app-id", "1234", "--environment",
        environment.rawValue, "--at", "\(now.milliseconds)",
        folder.path + "/derived-jws/" + entry.file,
      ]
      cases.append((entry.file, words, Set(failures.map(\.rule.rawValue))))
    }
    #expect(cases.count > 60)
    try await compare(cases)
  }

  @Test func receiptsGetTheVerdictOfTheVerifier() async throws {
    let root = "derived-receipts/pki/root.der"
    let verifier = ReceiptVerifier(
      anchors: try .simulated([try bytes(root)]),
      origin: origin(.production),
      crypto: crypto
    )
    var cases: [(name: String, words: [String], expected: Set<String>)] = []
    for entry in try manifest("derived-receipts") {
      let data = try bytes("derived-receipts/" + entry.file)
      let verdict =
        entry.file.hasSuffix(".txt")
        ? try verifier.verify(base64: data) : try verifier.verify(data)
      let expected = Set(verdict.failures.map(\.rule.rawValue))
      let more = [
        "--json", "--root", folder.path + "/" + root, "--bundle", "com.example", "--environment",
        "production", folder.path + "/derived-receipts/" + entry.file,
      ]
      cases.append(
        (entry.file, ["verify", "--kind", "receipt", "--app-id", "1234"] + more, expected)
      )
      // What can be taken apart is judged there as well.
      guard entry.file.hasSuffix(".der"), !expected.contains("container") else { continue }
      cases.append((entry.file, ["receipt"] + more, expected))
    }
    #expect(cases.count > 70)
    try await compare(cases)
  }
}

/// Test data that lives beside the project, found through `IAP_VECTORS`, else at
/// `../shared/vectors` from the package's root.
private enum CommandVectors {
  static let folder: URL? = {
    let root = ProcessInfo.processInfo.environment["IAP_VECTORS"].map { URL(fileURLWithPath: $0) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder =
      root ?? package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("README.md").path)
    else {
      print("SKIPPED: no test vectors at \(folder.path); set IAP_VECTORS to their folder")
      return nil
    }
    return folder
  }()
}
