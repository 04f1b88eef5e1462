internal import COpenSSL
import IAPSignatures

/// A number of any size, for making test keys; it stays inside one function call.
@safe
final class BigNumber {
  let pointer: OpaquePointer

  /// Zero.
  init() {
    guard let pointer = unsafe BN_new() else { preconditionFailure("out of memory") }
    unsafe self.pointer = unsafe pointer
  }

  /// The number that big-endian bytes say.
  convenience init(_ bytes: [UInt8]) {
    self.init()
    let result = unsafe bytes.withUnsafeBufferPointer { input in
      unsafe BN_bin2bn(input.baseAddress, Int32(input.count), pointer)
    }
    precondition(unsafe result != nil, "out of memory")
  }

  deinit { unsafe BN_clear_free(pointer) }

  /// Big-endian bytes with zeros in front.
  func bytes(count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
      let written = unsafe BN_bn2binpad(pointer, output.baseAddress, Int32(count))
      precondition(Int(written) == count, "the number is longer than asked for")
      filled = count
    }
  }

  /// Big-endian bytes without zeros in front.
  var magnitude: [UInt8] { unsafe bytes(count: Int(BN_num_bits(pointer) + 7) / 8) }

  var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }
}

/// Arithmetic with the scratch space that the library wants.
@safe
final class Arithmetic {
  let context: OpaquePointer

  init() {
    guard let context = unsafe BN_CTX_new() else { preconditionFailure("out of memory") }
    unsafe self.context = unsafe context
  }

  deinit { unsafe BN_CTX_free(context) }

  private func make(_ body: (BigNumber) -> Int32) -> BigNumber {
    let result = BigNumber()
    precondition(body(result) == 1, "arithmetic on sound numbers always works")
    return result
  }

  func product(_ left: BigNumber, _ right: BigNumber) -> BigNumber {
    make { unsafe BN_mul($0.pointer, left.pointer, right.pointer, context) }
  }

  func product(_ left: BigNumber, _ right: BigNumber, modulo: BigNumber) -> BigNumber {
    make { unsafe BN_mod_mul($0.pointer, left.pointer, right.pointer, modulo.pointer, context) }
  }

  func sum(_ left: BigNumber, _ right: BigNumber, modulo: BigNumber) -> BigNumber {
    make { unsafe BN_mod_add($0.pointer, left.pointer, right.pointer, modulo.pointer, context) }
  }

  func remainder(_ value: BigNumber, modulo: BigNumber) -> BigNumber {
    make { unsafe BN_nnmod($0.pointer, value.pointer, modulo.pointer, context) }
  }

  func shiftedRight(_ value: BigNumber, _ bits: Int) -> BigNumber {
    make { unsafe BN_rshift($0.pointer, value.pointer, Int32(bits)) }
  }

  func adding(_ word: UInt, to value: BigNumber) -> BigNumber {
    make { unsafe BN_copy($0.pointer, value.pointer) == nil ? 0 : BN_add_word($0.pointer, word) }
  }

  func subtracting(_ word: UInt, from value: BigNumber) -> BigNumber {
    make { unsafe BN_copy($0.pointer, value.pointer) == nil ? 0 : BN_sub_word($0.pointer, word) }
  }

  /// The inverse, nil when there is none.
  func inverse(_ value: BigNumber, modulo: BigNumber) -> BigNumber? {
    let result = BigNumber()
    guard unsafe BN_mod_inverse(result.pointer, value.pointer, modulo.pointer, context) != nil
    else {
      ERR_clear_error()
      return nil
    }
    return result
  }

  func isPrime(_ value: BigNumber) -> Bool {
    unsafe BN_check_prime(value.pointer, context, nil) == 1
  }

  /// Minus one, zero or one, as the left number is smaller, equal or greater.
  func compare(_ left: BigNumber, _ right: BigNumber) -> Int {
    unsafe Int(BN_cmp(left.pointer, right.pointer))
  }
}
