import IAPModel

/// A JSON object that is answered again and again with another number in one of its members.
struct WrittenObject: Sendable {
  /// Everything before the number.
  private let head: [UInt8]
  /// Everything behind it but the brace that closes the object.
  private let tail: [UInt8]
  /// The number.
  var number: Int64

  /// Writes an object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - name: The member whose number changes; there is one, and it is neither first nor last.
  init(_ object: JSONObject, changing name: String) {
    guard let place = object.members.firstIndex(where: { $0.name == name }), place > 0,
      place + 1 < object.members.count, let number = object.members[place].value.integerValue
    else { preconditionFailure("\(name) stands within the object") }
    self.number = number
    let first = JSONObject(Array(object.members[..<place])).serialized
    let last = JSONObject(Array(object.members[(place + 1)...])).serialized
    head = first.dropLast() + Array(",\"\(name)\":".utf8)
    tail = [UInt8(ascii: ",")] + last.dropFirst().dropLast()
  }

  /// How long it is without the number.
  var byteCount: Int { head.count + tail.count }

  /// The object with further members at its end.
  func serialized(adding members: [JSONMember]) -> [UInt8] {
    let end = JSONObject(members).serialized
    var text: [UInt8] = []
    text.reserveCapacity(head.count + tail.count + end.count + Self.digitsMax)
    text += head
    text += String(number).utf8
    text += tail
    if !members.isEmpty { text.append(UInt8(ascii: ",")) }
    text += end.dropFirst()
    return text
  }

  /// How long the number may be.
  private static let digitsMax = 20
}
