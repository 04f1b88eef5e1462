import IAPModel

/// How much one call may store, and how much may wait.
public struct LedgerLimits: Hashable, Sendable {
  /// The largest fact, in bytes as it came.
  public var factSizeBytesMax: Int
  /// The most facts that one write may carry.
  public var factsPerWriteMax: Int
  /// The most things that one fact may say: lines of a receipt, parts of a notification.
  public var itemsPerFactMax: Int
  /// The largest context of an order, in bytes of JSON.
  public var orderContextSizeBytesMax: Int
  /// The largest document, in bytes of JSON.
  public var documentSizeBytesMax: Int
  /// The most documents that one write may carry.
  public var documentsPerWriteMax: Int
  /// The most writes that may wait for the writer; one more is refused as busy.
  public var waitingWritesMax: Int
  /// The most writes that are committed in one transaction.
  public var writesPerCommitMax: Int
  /// The most reads that may wait for a connection; one more is refused as busy.
  public var waitingReadsMax: Int

  /// Makes limits; every value has the default that the server uses.
  ///
  /// - Parameters:
  ///   - factSizeBytesMax: The largest fact, in bytes as it came.
  ///   - factsPerWriteMax: The most facts that one write may carry.
  ///   - itemsPerFactMax: The most things that one fact may say.
  ///   - orderContextSizeBytesMax: The largest context of an order, in bytes of JSON.
  ///   - documentSizeBytesMax: The largest document, in bytes of JSON.
  ///   - documentsPerWriteMax: The most documents that one write may carry.
  ///   - waitingWritesMax: The most writes that may wait for the writer.
  ///   - writesPerCommitMax: The most writes that are committed in one transaction.
  ///   - waitingReadsMax: The most reads that may wait for a connection.
  public init(
    factSizeBytesMax: Int = 4 * 1024 * 1024,
    factsPerWriteMax: Int = 100,
    itemsPerFactMax: Int = 10_000,
    orderContextSizeBytesMax: Int = 16 * 1024,
    documentSizeBytesMax: Int = 4 * 1024 * 1024,
    documentsPerWriteMax: Int = 10_000,
    waitingWritesMax: Int = 10_000,
    writesPerCommitMax: Int = 256,
    waitingReadsMax: Int = 10_000
  ) {
    self.factSizeBytesMax = factSizeBytesMax
    self.factsPerWriteMax = factsPerWriteMax
    self.itemsPerFactMax = itemsPerFactMax
    self.orderContextSizeBytesMax = orderContextSizeBytesMax
    self.documentSizeBytesMax = documentSizeBytesMax
    self.documentsPerWriteMax = documentsPerWriteMax
    self.waitingWritesMax = waitingWritesMax
    self.writesPerCommitMax = writesPerCommitMax
    self.waitingReadsMax = waitingReadsMax
  }

  /// Refuses a write that is larger than a limit, before anything of it is stored.
  func check(_ write: LedgerWrite) throws(StorageError) {
    guard write.facts.count <= factsPerWriteMax else {
      throw StorageError(.tooLarge, "\(write.facts.count) facts, at most \(factsPerWriteMax)")
    }
    for record in write.facts {
      guard record.bytes.count <= factSizeBytesMax else {
        throw StorageError(.tooLarge, "\(record.bytes.count) bytes, at most \(factSizeBytesMax)")
      }
      guard record.facts.count <= itemsPerFactMax else {
        throw StorageError(.tooLarge, "\(record.facts.count) items, at most \(itemsPerFactMax)")
      }
    }
    let count = max(write.documents.count, write.removals.count, write.rechecks.count)
    guard count <= documentsPerWriteMax else {
      throw StorageError(.tooLarge, "\(count) documents, at most \(documentsPerWriteMax)")
    }
    for document in write.documents {
      let size = document.body.serialized.count
      guard size <= documentSizeBytesMax else {
        throw StorageError(.tooLarge, "document of \(size) bytes, at most \(documentSizeBytesMax)")
      }
    }
    for order in write.orders {
      let size = order.context.serialized.count
      guard size <= orderContextSizeBytesMax else {
        throw StorageError(
          .tooLarge,
          "order context of \(size) bytes, at most \(orderContextSizeBytesMax)"
        )
      }
    }
  }
}
