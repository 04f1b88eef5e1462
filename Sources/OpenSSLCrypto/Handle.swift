internal import COpenSSL
import IAPSignatures

/// A pointer of the library's that is freed with the last owner.
///
/// The library counts references and never changes the objects kept here (digests, keys) after they
/// are made, so that any thread may use them at the same time.
// OpenSSL promises that fetched digests and finished keys may be shared between threads.
@safe
final class Handle: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let release: (OpaquePointer) -> Void

  init?(_ pointer: OpaquePointer?, release: @escaping (OpaquePointer) -> Void) {
    guard let pointer = unsafe pointer else { return nil }
    unsafe self.pointer = unsafe pointer
    unsafe self.release = unsafe release
  }

  deinit { unsafe release(pointer) }

  /// Lends the pointer.
  func with<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return unsafe try body(pointer)
  }
}
