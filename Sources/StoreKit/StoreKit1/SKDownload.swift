public import Foundation

/// Content that Apple hosted for a product.
///
/// The App Store hosts no content any more, so no transaction has downloads and nothing makes a
/// value of this class; it is here for code that still speaks of it.
open class SKDownload: NSObject {
  private let held: SKPaymentTransaction

  init(transaction: SKPaymentTransaction) {
    held = transaction
    super.init()
  }

  open var transaction: SKPaymentTransaction { held }
  open var state: SKDownloadState { .failed }
  open var downloadState: SKDownloadState { state }
  open var contentIdentifier: String { held.snapshot.payment.productIdentifier }
  open var contentLength: Int64 { 0 }
  open var expectedContentLength: Int64 { 0 }
  open var contentVersion: String { "" }
  open var contentURL: URL? { nil }
  open var progress: Float { 0 }
  open var timeRemaining: TimeInterval { SKDownloadTimeRemainingUnknown }
  open var error: (any Error)? { SKError(.unknown) }

  /// Where content lies on a Mac: nowhere.
  open class func contentURL(forProductID productID: String) -> URL? { nil }

  /// Deletes content on a Mac; there is none.
  open class func deleteContent(forProductID productID: String) {}
}

@frozen public enum SKDownloadState: Int, BitwiseCopyable, Sendable {
  case waiting = 0
  case active = 1
  case paused = 2
  case finished = 3
  case failed = 4
  case cancelled = 5
}

public var SKDownloadTimeRemainingUnknown: TimeInterval { -1 }

extension SKPaymentTransaction {
  public var downloads: [SKDownload] { [] }
}

// There are no downloads to do any of this to.
extension SKPaymentQueue {
  public func start(_ downloads: [SKDownload]) {}
  public func pause(_ downloads: [SKDownload]) {}
  public func resume(_ downloads: [SKDownload]) {}
  public func cancel(_ downloads: [SKDownload]) {}
}
