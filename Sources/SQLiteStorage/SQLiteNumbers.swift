internal import Foundation
internal import ServerStorage

/// Numbers of rows that one connection has looked up or given, and that never change.
///
/// A write asks for the number of its purchase many times, and hardly ever for that of another; so
/// of purchases it is only the last one that is remembered.
final class SQLiteNumbers {
  private var scopes: [LedgerScope: Int64] = [:]
  private var lastScope: (scope: LedgerScope, number: Int64)?
  private var lastSubject: (subject: LedgerSubject, number: Int64)?
  private var headers: [(bytes: [UInt8], number: Int64)] = []
  /// The purchase that was last found to be unknown in the transaction that is being written.
  private var missingSubject: LedgerSubject?
  /// Whether a transaction is being written, in which nobody else gives numbers.
  var isWriting = false {
    didSet { missingSubject = nil }
  }

  /// Forgets everything: a transaction was undone in which numbers may have been given.
  func forget() {
    scopes = [:]
    lastScope = nil
    lastSubject = nil
    missingSubject = nil
    headers = []
  }

  func number(of scope: LedgerScope) -> Int64? {
    if let lastScope, lastScope.scope == scope { return lastScope.number }
    guard let number = scopes[scope] else { return nil }
    lastScope = (scope, number)
    return number
  }

  func note(_ number: Int64, of scope: LedgerScope) {
    scopes[scope] = number
    lastScope = (scope, number)
  }

  func number(of subject: LedgerSubject) -> Int64? {
    guard let lastSubject, lastSubject.subject == subject else { return nil }
    return lastSubject.number
  }

  func note(_ number: Int64, of subject: LedgerSubject) {
    lastSubject = (subject, number)
    missingSubject = nil
  }

  func isMissing(_ subject: LedgerSubject) -> Bool { missingSubject == subject }

  /// Remembers that there is no such purchase, for as long as nobody else can make it.
  func noteMissing(_ subject: LedgerSubject) {
    if isWriting { missingSubject = subject }
  }

  func number(ofHeader bytes: [UInt8]) -> Int64? {
    headers.first { Self.areSame($0.bytes, bytes) }?.number
  }

  func note(_ number: Int64, ofHeader bytes: [UInt8]) {
    if headers.count >= SQLiteLedger.cachedHeadersMax { headers = [] }
    headers.append((bytes, number))
  }

  /// Arrays compare their elements one by one; a header has some thousands.
  private static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
      }
    }
  }
}
