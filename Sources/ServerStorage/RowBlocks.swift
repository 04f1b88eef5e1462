/// What was seen of a table's rows, 64 numbers at a time: enough to find what has changed since, in
/// a few bytes for each such block.
package struct RowBlocks: Hashable, Sendable {
  struct Block: Hashable, Sendable {
    /// The numbers of its rows without their last six bits.
    let number: Int64
    var count = 0
    var sum: UInt64 = 0
  }

  /// How many numbers belong to one block.
  package static let numbersPerBlock: Int64 = 64

  /// The blocks that have rows, in order.
  private(set) var blocks: [Block] = []

  /// Begins with nothing.
  package init() {}

  /// How many rows were seen.
  package var count: Int { blocks.reduce(0) { $0 + $1.count } }

  /// Takes note of a row; its number is larger than those of all before.
  package mutating func add(_ number: Int64, _ row: [UInt8]) {
    let block = Self.block(of: number)
    if blocks.last?.number != block { blocks.append(Block(number: block)) }
    blocks[blocks.count - 1].count += 1
    blocks[blocks.count - 1].sum &+= RowBytes.digest(row)
  }

  static func block(of number: Int64) -> Int64 { number >> 6 }

  /// The first number of a block.
  static func start(of block: Int64) -> Int64 { block << 6 }
}

/// One look at every row of a table, to find what is not as it was seen before.
package struct RowLook {
  private let known: RowBlocks
  private var place = 0
  private var current = RowBatch()
  /// What is seen now.
  package private(set) var seen = RowBlocks()
  /// The rows of the blocks that are not as they were.
  package private(set) var rows = RowBatch()
  /// The first numbers of the blocks, known before, that are not as they were.
  package private(set) var blocks: [Int64] = []
  /// Whether a block has fewer rows than before.
  package private(set) var hasLost = false

  /// Begins to look.
  package init(_ known: RowBlocks) { self.known = known }

  /// Takes a row; its number is larger than those of all before.
  package mutating func take(_ number: Int64, _ row: [UInt8]) {
    if let last = seen.blocks.last, last.number != RowBlocks.block(of: number) { endBlock(last) }
    seen.add(number, row)
    current.append(row)
  }

  /// Ends the look.
  package mutating func end() {
    if let last = seen.blocks.last { endBlock(last) }
    while place < known.blocks.count { lose(known.blocks[place]) }
  }

  /// Forgets what was found and dealt with.
  package mutating func removeFound() {
    rows.removeAll()
    blocks.removeAll(keepingCapacity: true)
  }

  private mutating func endBlock(_ block: RowBlocks.Block) {
    defer { current.removeAll() }
    while place < known.blocks.count, known.blocks[place].number < block.number {
      lose(known.blocks[place])
    }
    guard place < known.blocks.count, known.blocks[place].number == block.number else {
      rows.append(current)
      return
    }
    let before = known.blocks[place]
    place += 1
    guard before != block else { return }
    if before.count > block.count { hasLost = true }
    blocks.append(RowBlocks.start(of: block.number))
    rows.append(current)
  }

  private mutating func lose(_ block: RowBlocks.Block) {
    hasLost = true
    blocks.append(RowBlocks.start(of: block.number))
    place += 1
  }
}
