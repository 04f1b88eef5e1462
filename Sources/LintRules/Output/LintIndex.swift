/// The index of the rules' pages.
enum LintIndex {
  static func english(_ table: String) -> String {
    let rows = LintRules.infos.map { info in
      "| [\(info.name)](\(info.name).md) | \(info.severity.rawValue) | \(info.title(.english)) |"
    }.joined(separator: "\n")
    return """
      \(introduction)

      ## Rules

      | Rule | Severity | What is wrong |
      |---|---|---|
      \(rows)

      ## How well they do

      Over the fixtures in `Tests/LintFixtures`, written for this purpose with known answers: small
      cases for each rule, and whole apps that every rule reads. The rules were written with these
      cases at hand, so the figures say that the known cases work, not how an unknown app fares.
      *Wrong* and *Right* count cases, *Found*, *Missed* and *False alarms* count places;
      `make lint-table` measures again.

      \(table)

      """
  }

  private static let introduction = """
    # iap lint

    [简体中文](README.zh-Hans.md)

    `iap lint PATH` reads an app's Swift sources and reports mistakes that lose purchases or get an
    app refused: file, line, why, and what to write instead. It reads the syntax of all files
    together, with the parser of the Swift toolchain; it does not build the app, so it knows names
    and not types. Raw StoreKit, old and new, and apps that use IAPKit are understood.

    ```console
    $ iap lint Sources
    $ iap lint --sarif Sources > lint.sarif
    $ iap lint --json --rule hard-coded-price Sources
    $ iap lint --ids --json .
    ```

    `--ids` lists the product identifiers that the sources name, with their places. Exit status:
    0 nothing found, 1 something found, 2 could not look.

    `iap lint` starts `iap-lint`, which is built where the toolchain brings SwiftSyntax; otherwise
    it says how to get it.

    ## In a project

    - Give the folder of the whole project, with its tests and its `.storekit` file: some rules ask
      what all files say together, and the file tells what is sold.
    - `.iap-lint.json` in that folder, all keys optional:

    ```json
    {
      "exclude": ["Generated", "Sources/Old/**"],
      "rules": { "original-api-in-new-code": "off", "ids-scattered": "error" },
      "baseline": "iap-lint-baseline.json"
    }
    ```

    - A project with many findings begins with `iap lint --write-baseline FILE .`; from then on only
      new ones count. A finding is known by its rule, its file and the text of its line.
    - A single place is silenced by a comment with a reason:
      `// iap-lint:disable:next RULE reason`. `disable:this` is about the comment's own line,
      `disable:file` about its file.
    """

  static func chinese(_ table: String) -> String {
    let rows = LintRules.infos.map { info in
      let word = LintReport.word(info.severity)(.simplifiedChinese)
      return "| [\(info.name)](\(info.name).md) | \(word) | \(info.title(.simplifiedChinese)) |"
    }.joined(separator: "\n")
    return """
      # iap lint（代码检查）

      [English](README.md)

      `iap lint 路径` 读取应用的 Swift 源代码，报告会损失购买或导致审核被拒的错误，给出位置、原因和改法。
      它用 Swift 工具链自带的解析器一起分析所有文件的语法，不编译应用，因此只知道名称而不知道类型。
      新旧两代 StoreKit 以及使用 IAPKit 的应用都能识别。

      ```console
      $ iap lint Sources
      $ iap lint --sarif Sources > lint.sarif
      $ iap lint --ids --json .
      ```

      退出状态：0 没有发现，1 有发现，2 无法检查。

      - 请给出整个项目的文件夹，包括测试和 `.storekit` 文件。
      - 该文件夹中的 `.iap-lint.json` 可设置 `exclude`、`rules`（级别或 `off`）和 `baseline`。
      - 问题较多的项目先运行 `iap lint --write-baseline 文件 .`，之后只统计新问题。
      - 单个位置用带理由的注释静默：`// iap-lint:disable:next 规则 理由`。

      ## 规则

      | 规则 | 级别 | 问题 |
      |---|---|---|
      \(rows)

      ## 准确程度

      以 `Tests/LintFixtures` 中答案已知的样例统计。规则是对照这些样例编写的，因此数字只说明已知情形
      有效，不代表任意应用的结果。各列依次为：错误样例数、正确样例数、找到、漏报、误报、精确率、召回率。

      \(table)

      """
  }
}
