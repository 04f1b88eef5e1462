import SwiftSyntax

/// Product identifiers as texts all over the place.
enum ScatteredIDs: LintRule {
  static let info = RuleInfo(
    "ids-scattered",
    .warning,
    .money,
    title: LintWords(
      "A product identifier is written in several files",
      zh: "同一商品标识符写在多个文件中"
    ),
    why: LintWords(
      """
      Identifiers are case-sensitive, never change and are never given out again. One misspelt \
      copy sells nothing, or takes money for goods that another copy does not unlock.
      """,
      zh: "标识符区分大小写，不可更改也不会重新分配；写错一处就卖不出去，或收了钱却没有解锁对应的内容。"
    ),
    fix: LintWords(
      "Name each identifier once, in one type, and use the name everywhere.",
      zh: "在一个类型中为每个标识符定义一次，其余各处使用该名称。"
    )
  )

  static func places(in project: Project) -> [Place] {
    let uses = ProductIDUse.all(in: project).filter { !$0.isInTests }
    return Dictionary(grouping: uses, by: \.product).values.compactMap { uses -> Place? in
      let sorted = uses.sorted {
        ($0.isHome ? 0 : 1, $0.place.path, $0.place.line)
          < ($1.isHome ? 0 : 1, $1.place.path, $1.place.line)
      }
      // Two places in one file are seen together.
      guard let first = sorted.first,
        let second = sorted.first(where: { $0.place.path != first.place.path })?.place
      else { return nil }
      return Place(
        path: second.path,
        line: second.line,
        column: second.column,
        seen: LintWords(
          "'\(first.product)' also stands in \(first.place.path):\(first.place.line)",
          zh: "“\(first.product)”还写在 \(first.place.path):\(first.place.line)"
        )
      )
    }
  }
}
