/// How many files may still be read.
///
/// A folder that was named by mistake, the root of a disk for example, ends with a message and not
/// with the machine's memory.
package struct FileAllowance: Sendable {
  /// The most files that one call reads.
  package static let filesMax = 100_000

  private let limit: Int
  private var taken = 0

  /// Makes an allowance that nothing was taken of.
  ///
  /// - Parameter limit: The most files.
  package init(limit: Int = FileAllowance.filesMax) { self.limit = limit }

  /// Takes one file of it.
  ///
  /// - Throws: ``LintError`` when there is none left.
  package mutating func take() throws(LintError) {
    guard taken < limit else {
      throw LintError(
        .file,
        LintWords("There are more than \(limit) files.", zh: "文件超过 \(limit) 个。")
      )
    }
    taken += 1
  }
}
