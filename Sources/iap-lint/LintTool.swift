import Foundation
import LintRules

/// Runs one call: reads files, lets the linter look, writes what it found.
struct LintTool: Sendable {
  /// The version that `--version` prints.
  static let version = "0.1.0"

  let files: LintFiles
  let language: LintLanguage

  init(files: LintFiles, environment: [String: String]) {
    self.files = files
    language = LintLanguage(environment: environment)
  }

  /// - Parameter words: The words of the call without the process's own name.
  /// - Returns: The exit status: 0 clean, 1 findings, 2 could not look.
  func run(_ words: [String]) -> Int32 {
    do throws(LintError) {
      return try run(LintCall(words))
    } catch {
      files.complain("iap-lint: \(error.reason(language))\n")
      if error.code == .usage {
        let hint = LintWords(
          "'iap-lint --help' shows what is possible.\n",
          zh: "运行“iap-lint --help”查看用法。\n"
        )
        files.complain(hint(language))
      }
      return 2
    }
  }

  private func run(_ call: LintCall) throws(LintError) -> Int32 {
    switch call.task {
    case .help: files.write(Data((LintCall.help(language) + "\n").utf8))
    case .version: files.write(Data("iap-lint \(Self.version)\n".utf8))
    case .rules:
      files.write(
        call.format == .text
          ? Data((RuleList.text(language) + "\n").utf8) : RuleList.json(language)
      )
    case .ids: try listIDs(call)
    case .pages(let folder): try writePages(call, into: folder)
    case .look: return try look(call)
    }
    return 0
  }

  private func look(_ call: LintCall) throws(LintError) -> Int32 {
    let configuration = try configuration(call)
    let tree = try sources(call, configuration)
    let result = Linter(configuration: configuration)
      .run(tree.sources, hasProjectFile: tree.hasProjectFile)
    if let path = call.newBaseline {
      try files.save(Baseline(result.findings).json, path)
      let words = LintWords(
        "\(result.findings.count) findings are in the baseline now.\n",
        zh: "已把 \(result.findings.count) 个问题写入基线。\n"
      )
      files.write(Data(words(language).utf8))
      return 0
    }
    var baseline: Baseline?
    if let path = call.baseline ?? configuration.baseline {
      baseline = try Baseline(json: files.contents(path, LintConfiguration.fileBytesMax))
    }
    let report = LintReport(result, baseline: baseline)
    switch call.format {
    case .text: files.write(Data((report.text(language) + "\n").utf8))
    case .json: files.write(report.json(language))
    case .sarif: files.write(report.sarif(language, version: Self.version))
    }
    return report.isClean ? 0 : 1
  }

  private func listIDs(_ call: LintCall) throws(LintError) {
    let configuration = try configuration(call)
    let list = ProductIDList(
      try sources(call, configuration).sources,
      configuration: configuration
    )
    files.write(call.format == .text ? Data((list.text + "\n").utf8) : list.json)
  }

  private func writePages(_ call: LintCall, into folder: String) throws(LintError) {
    let fixtures = try files.texts(folders(call), ["txt"]).sources
      .map { LintFixture(name: $0.path, text: $0.text) }
    for (name, text) in RulePage.all(fixtures).sorted(by: { $0.key < $1.key }) {
      try files.save(Data(text.utf8), "\(folder)/\(name)")
    }
    let table = LintTable(fixtures)
    files.write(Data((table.markdown + "\n").utf8))
    for mistake in table.mistakes { files.write(Data((mistake + "\n").utf8)) }
  }

  private func sources(
    _ call: LintCall,
    _ configuration: LintConfiguration
  ) throws(LintError) -> LintFiles.Tree {
    let tree = try files.texts(folders(call), ["swift", "storekit"])
    let isThere = tree.sources.contains {
      $0.path.hasSuffix(".swift") && !configuration.isExcluded($0.path)
    }
    guard isThere else {
      throw LintError(
        .file,
        LintWords("There are no Swift files to look at.", zh: "没有可检查的 Swift 文件。")
      )
    }
    return tree
  }

  private func folders(_ call: LintCall) -> [String] { call.paths.isEmpty ? ["."] : call.paths }

  private func configuration(_ call: LintCall) throws(LintError) -> LintConfiguration {
    var configuration = LintConfiguration()
    let beside = folders(call).map { "\($0)/\(LintConfiguration.fileName)" }.first(
      where: files.isThere
    )
    if let path = call.configuration ?? beside {
      configuration = try LintConfiguration(
        json: files.contents(path, LintConfiguration.fileBytesMax)
      )
      // A path in the file is meant from where the file lies.
      if let baseline = configuration.baseline, !baseline.hasPrefix("/") {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        configuration.baseline = (folder + [Substring(baseline)]).joined(separator: "/")
      }
    }
    configuration.excludes += call.excludes
    configuration.onlyRules = call.rules
    return configuration
  }
}
