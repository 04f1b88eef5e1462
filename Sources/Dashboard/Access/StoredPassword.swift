import Foundation
import IAPModel

/// How slow a guess of a password is made: scrypt's three numbers.
///
/// - **Source:** RFC 7914; OWASP's advice for scrypt (2^15, 8, 3: 32 MiB and three rounds).
package struct PasswordCost: Hashable, Sendable {
  /// A power of two.
  package var cost: Int64
  /// How large the blocks are.
  package var blockSize: Int64
  /// How often it is done over.
  package var rounds: Int64

  /// Makes a cost.
  package init(cost: Int64, blockSize: Int64, rounds: Int64) {
    self.cost = cost
    self.blockSize = blockSize
    self.rounds = rounds
  }

  /// 32 MiB and a fraction of a second for each guess.
  package static let standard = PasswordCost(cost: 32_768, blockSize: 8, rounds: 3)
}

/// A password as it is kept: a slow key derived from it, never the password.
package struct StoredPassword: Hashable, Sendable {
  let salt: [UInt8]
  let key: [UInt8]
  let cost: PasswordCost

  /// How many bytes the salt has.
  static let saltBytes = 16
  /// How many bytes the key has.
  static let keyBytes = 32
  /// The shortest password, in characters.
  package static let charactersMin = 10
  /// The longest password, in bytes.
  package static let bytesMax = 1024

  var object: JSONObject {
    [
      "salt": .string(Hex.text(salt)), "key": .string(Hex.text(key)),
      "cost": .integer(cost.cost), "blockSize": .integer(cost.blockSize),
      "rounds": .integer(cost.rounds),
    ]
  }

  init(salt: [UInt8], key: [UInt8], cost: PasswordCost) {
    self.salt = salt
    self.key = key
    self.cost = cost
  }

  init?(_ object: JSONObject) {
    guard let salt = object["salt"]?.stringValue.flatMap({ Hex.bytes($0) }),
      let key = object["key"]?.stringValue.flatMap({ Hex.bytes($0) }), !key.isEmpty,
      let cost = object["cost"]?.integerValue, let block = object["blockSize"]?.integerValue,
      let rounds = object["rounds"]?.integerValue
    else { return nil }
    self.init(
      salt: salt,
      key: key,
      cost: PasswordCost(cost: cost, blockSize: block, rounds: rounds)
    )
  }
}

/// Derives keys from passwords; whoever makes it says on which thread.
package struct PasswordMill: Sendable {
  /// Password, salt, cost and the number of bytes wanted; nil when it was not possible.
  package typealias Derive = @Sendable ([UInt8], [UInt8], PasswordCost, Int) async -> [UInt8]?

  let cost: PasswordCost
  private let derive: Derive

  /// Makes a mill.
  ///
  /// - Parameters:
  ///   - cost: What new passwords cost.
  ///   - derive: Does the work, away from the threads that answer.
  package init(cost: PasswordCost = .standard, derive: @escaping Derive) {
    self.cost = cost
    self.derive = derive
  }

  /// What is kept of a new password.
  func stored(_ password: String, salt: [UInt8]) async -> StoredPassword? {
    guard
      let key = await derive(Array(password.utf8), salt, cost, StoredPassword.keyBytes)
    else { return nil }
    return StoredPassword(salt: salt, key: key, cost: cost)
  }

  /// Whether a password is the one that is kept; without one it takes as long and is false.
  func matches(_ password: String, _ stored: StoredPassword?) async -> Bool {
    let known =
      stored
      ?? StoredPassword(
        salt: [UInt8](repeating: 0, count: StoredPassword.saltBytes),
        key: [UInt8](repeating: 0, count: StoredPassword.keyBytes),
        cost: cost
      )
    let key = await derive(Array(password.utf8), known.salt, known.cost, known.key.count)
    guard let key, stored != nil else { return false }
    return Hex.areEqual(key, known.key)
  }
}

/// Hexadecimal digits, and comparing without telling how far two texts agree.
enum Hex {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let written = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: written, as: UTF8.self)
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let source = Array(text.utf8)
    guard source.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    for index in stride(from: 0, to: source.count, by: 2) {
      let pair = String(decoding: source[index...index + 1], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      result.append(byte)
    }
    return result
  }

  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count
      && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
