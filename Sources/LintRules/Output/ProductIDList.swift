package import Foundation

/// The product identifiers that an app's sources name: what `--ids` prints, and what a catalog can
/// be compared with.
package struct ProductIDList: Sendable {
  private let uses: [ProductIDUse]

  package init(_ sources: [LintSource], configuration: LintConfiguration = LintConfiguration()) {
    let kept = sources.filter { !configuration.isExcluded($0.path) }
    uses = ProductIDUse.all(in: Project(kept))
  }

  /// The identifiers, sorted, with the places that name them.
  private var byProduct: [(product: String, uses: [ProductIDUse])] {
    Dictionary(grouping: uses, by: \.product).map { ($0.key, $0.value) }
      .sorted { $0.product < $1.product }
  }

  package var text: String {
    byProduct.map { product, uses in
      ([product] + uses.map { "  \($0.place.path):\($0.place.line)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  package var json: Data {
    LintReport.encoded([
      "version": 1,
      "products": byProduct.map { product, uses in
        [
          "id": product,
          "places": uses.map { use in
            [
              "path": use.place.path, "line": use.place.line, "column": use.place.column,
              "test": use.isInTests,
            ] as [String: Any]
          },
        ] as [String: Any]
      },
    ])
  }
}
