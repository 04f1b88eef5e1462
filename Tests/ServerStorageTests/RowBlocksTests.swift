import ServerStorage
import Testing

struct RowBlocksTests {
  /// A row of one cell, a whole number.
  private func row(_ number: Int64) -> [UInt8] {
    [0, 1, 0, 0, 0, 8] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func blocks(_ rows: [Int64: Int64]) -> RowBlocks {
    var blocks = RowBlocks()
    for (number, value) in rows.sorted(by: { $0.key < $1.key }) { blocks.add(number, row(value)) }
    return blocks
  }

  private func look(_ known: [Int64: Int64], _ rows: [Int64: Int64]) -> RowLook {
    var look = RowLook(blocks(known))
    for (number, value) in rows.sorted(by: { $0.key < $1.key }) { look.take(number, row(value)) }
    look.end()
    #expect(look.seen == blocks(rows))
    return look
  }

  private let rows = Dictionary(uniqueKeysWithValues: (1...200).map { (Int64($0), Int64($0)) })

  @Test func nothingIsFoundWhereNothingChanged() {
    let look = look(rows, rows)
    #expect(look.rows.isEmpty)
    #expect(look.blocks == [])
    #expect(!look.hasLost)
  }

  @Test func aChangedRowIsFoundWithTheRowsOfItsBlock() {
    let look = look(rows, rows.merging([70: 0]) { $1 })
    #expect(look.rows.numbers(in: 0) == [64, 65, 66, 67, 68, 69, 0] + (71...127).map { $0 })
    #expect(look.blocks == [64])
    #expect(!look.hasLost)
  }

  @Test func aRowThatIsGoneIsFoundByItsBlock() {
    var less = rows
    less[128] = nil
    let look = look(rows, less)
    #expect(look.rows.numbers(in: 0) == (129...191).map { $0 })
    #expect(look.blocks == [128])
    #expect(look.hasLost)
  }

  @Test func blocksThatAreGoneAreFoundInTheMiddleAndAtTheEnd() {
    let look = look(rows, rows.filter { $0.key < 64 || (128..<192).contains($0.key) })
    #expect(look.rows.isEmpty)
    #expect(look.blocks == [64, 192])
    #expect(look.hasLost)
  }

  @Test func rowsThatAreNewAreFoundAndTakeTheNumbersOfOthers() {
    let look = look([1: 1, 2: 2], [1: 1, 2: 3, 64: 4])
    #expect(look.rows.numbers(in: 0) == [1, 3, 4])
    #expect(look.blocks == [0])
    #expect(!look.hasLost)
  }

  @Test func rowsThatChangedPlacesDoNotPassForTheSame() {
    #expect(RowBytes.digest(row(1)) != RowBytes.digest(row(2)))
    var (first, second) = (RowSum(), RowSum())
    for number in [1, 2, 3] as [Int64] { first.add(row(number)) }
    for number in [3, 1, 2] as [Int64] { second.add(row(number)) }
    #expect(first == second)
    second.add(row(2))
    #expect(first != second)
  }

  @Test func cellsAreFoundBehindNothingAndCompareAsKeys() {
    let text: [UInt8] = [0, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 97, 98, 0, 0, 0, 1, 5]
    #expect(RowBytes.cell(0, of: text[...]) == nil)
    #expect(RowBytes.cell(1, of: text[...]).map { Array($0) } == [97, 98])
    #expect(RowBytes.cell(2, of: text[...]).map { RowBytes.number($0) } == 5)
    #expect(RowBytes.isBefore(row(1), row(2), by: [0]))
    #expect(!RowBytes.isBefore(row(2), row(2), by: [0]))
    #expect(RowBytes.isBefore(row(255), row(256), by: [0]))
  }
}
