/// The library's name for a connection or a daemon, as a value that can be kept and sent.
///
/// Only what ``Exchange`` knows to be suspended, and callbacks that got the connection, may use it.
struct LibraryHandle: Hashable, Sendable {
  private let bits: UInt

  init(_ pointer: OpaquePointer) { bits = UInt(bitPattern: pointer) }

  var pointer: OpaquePointer {
    guard let pointer = unsafe OpaquePointer(bitPattern: bits) else {
      preconditionFailure("a connection has an address")
    }
    return unsafe pointer
  }
}
