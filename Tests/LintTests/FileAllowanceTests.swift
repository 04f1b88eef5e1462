import LintRules
import Testing

@Suite("File allowance")
struct FileAllowanceTests {
  @Test(arguments: [0, 1, 3])
  func asManyFilesAsAllowedAreReadAndNotOneMore(limit: Int) throws {
    var allowance = FileAllowance(limit: limit)
    for _ in 0..<limit { try allowance.take() }
    let error = #expect(throws: LintError.self) { try allowance.take() }
    #expect(error?.code == .file)
    #expect(error?.reason(.english) == "There are more than \(limit) files.")
    #expect(error?.reason(.simplifiedChinese) == "文件超过 \(limit) 个。")
  }

  @Test func theWholeLimitIsAllowedAndNotOneMore() throws {
    var allowance = FileAllowance()
    for _ in 0..<FileAllowance.filesMax { try allowance.take() }
    #expect(throws: LintError.self) { try allowance.take() }
  }
}
