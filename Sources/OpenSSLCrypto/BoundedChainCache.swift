public import IAPSignatures
import Synchronization

/// Checked chains in memory, as many as a limit allows; the one that was not used longest goes.
///
/// Apple has a handful of chains at a time. Only sound chains come in, so that forged ones cannot
/// drive them out.
///
/// - **Concurrency:** safe from any thread.
public final class BoundedChainCache: ChainCache {
  /// How many chains are kept unless told otherwise.
  public static let chainCountMax = 32

  private struct Entry {
    var chain: CheckedChain
    var lastUse: UInt64
  }

  /// The bytes of a header or of certificates.
  ///
  /// A sample of them is hashed: equality looks at all, and the few sound chains that are kept
  /// differ early.
  private struct Key: Hashable {
    private static let pieceCount = 8
    private static let pieceBytes = 16

    let bytes: [UInt8]

    // Eight bytes at a time; arrays compare one by one.
    static func == (left: Key, right: Key) -> Bool {
      guard left.bytes.count == right.bytes.count else { return false }
      let whole = left.bytes.count & ~7
      let isSame = unsafe left.bytes.withUnsafeBytes { left in
        unsafe right.bytes.withUnsafeBytes { right in
          stride(from: 0, to: whole, by: 8).allSatisfy { place in
            unsafe left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
              == right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          }
        }
      }
      return isSame && left.bytes[whole...] == right.bytes[whole...]
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(bytes.count)
      let step = max(bytes.count / Self.pieceCount, Self.pieceBytes)
      unsafe bytes.withUnsafeBytes { all in
        for start in stride(from: 0, to: all.count, by: step) {
          let end = min(start + Self.pieceBytes, all.count)
          unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: all[start..<end]))
        }
      }
    }
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var useCount: UInt64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Makes an empty cache.
  ///
  /// - Parameter limit: How many chains are kept, at least one.
  public init(limit: Int = BoundedChainCache.chainCountMax) {
    precondition(limit > 0, "a cache keeps at least one chain")
    self.limit = limit
  }

  /// How many chains are kept at present.
  public var count: Int { state.withLock { $0.entries.count } }

  /// The chain that was stored under a key.
  ///
  /// - Parameter key: The bytes of the certificates.
  /// - Returns: The chain, nil when it is not there.
  public func chain(for key: [UInt8]) -> CheckedChain? {
    state.withLock { state in
      guard let index = state.entries.index(forKey: Key(bytes: key)) else { return nil }
      state.useCount += 1
      state.entries.values[index].lastUse = state.useCount
      return state.entries.values[index].chain
    }
  }

  /// Keeps a chain, in the place of the one that was not used longest if need be.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - key: The bytes of the certificates.
  public func store(_ chain: CheckedChain, for key: [UInt8]) {
    let key = Key(bytes: key)
    state.withLock { state in
      if state.entries[key] == nil, state.entries.count >= limit,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
      {
        state.entries[oldest] = nil
      }
      state.useCount += 1
      state.entries[key] = Entry(chain: chain, lastUse: state.useCount)
    }
  }
}
