import Foundation
import IAPEntitlements
import IAPModel
import ServerStorage
import Testing

@testable import EntitlementServer

@Suite struct CustomerPicturesTests {
  private let pictures = CustomerPictures()
  private let now = Date(milliseconds: 1_790_000_000_000)

  private func key(_ name: CustomerID) -> CustomerPictures.Key {
    CustomerPictures.Key(
      name: name,
      scope: LedgerScope(app: "com.example.app", environment: .production)
    )
  }

  private func object(_ text: String = "x") -> WrittenObject {
    WrittenObject(["customer": "mia", "asOf": 1, "text": .string(text)], changing: "asOf")
  }

  private func text(_ object: WrittenObject?) -> String? {
    object.map { String(decoding: $0.serialized(adding: []), as: UTF8.self) }
  }

  private func keep(
    _ name: CustomerID,
    stamp: UInt64 = 1,
    until end: Date? = nil,
    _ object: WrittenObject? = nil
  ) {
    let stamp = LedgerStamp(stamp)
    _ = pictures.answer(key(name), stamp, at: now)
    pictures.keep(object ?? self.object(), key(name), stamp, made: now, until: end)
  }

  @Test func `an answer is given again while the stamp is the same`() {
    keep("mia")
    let known = pictures.answer(key("mia"), LedgerStamp(1), at: now)
    #expect(text(known) == #"{"customer":"mia","asOf":1,"text":"x"}"#)
    #expect(pictures.answer(key("ben"), LedgerStamp(1), at: now).map(\.number) == nil)
  }

  @Test func `another stamp forgets every answer`() {
    keep("mia")
    keep("ben")
    #expect(pictures.count == 2)
    #expect(pictures.answer(key("mia"), LedgerStamp(2), at: now).map(\.number) == nil)
    #expect(pictures.count == 0)
  }

  @Test func `an answer from before the last commit is not kept`() {
    _ = pictures.answer(key("mia"), LedgerStamp(2), at: now)
    pictures.keep(object(), key("mia"), LedgerStamp(1), made: now, until: nil)
    #expect(pictures.count == 0)
  }

  @Test func `an answer ends at the instant at which the clock changes it`() {
    keep("mia", until: now.addingTimeInterval(10))
    for (seconds, isKnown) in [(-1.0, false), (0, true), (9.999, true), (10, false)] {
      let known = pictures.answer(key("mia"), LedgerStamp(1), at: now.addingTimeInterval(seconds))
      #expect((known != nil) == isKnown, "after \(seconds) s")
    }
  }

  @Test func `one customer more than the limit begins anew`() {
    for number in 0..<CustomerPictures.picturesMax { keep(CustomerID("customer-\(number)")) }
    #expect(pictures.count == CustomerPictures.picturesMax)
    keep("mia")
    #expect(pictures.count == 1)
  }

  @Test func `a longer answer than the limit is not kept`() {
    let room = CustomerPictures.bytesMax - object("").byteCount
    keep("mia", object(String(repeating: "x", count: room)))
    #expect(pictures.count == 1)
    keep("ben", object(String(repeating: "x", count: room + 1)))
    #expect(pictures.count == 1)
  }

  @Test func `who forgets leaves nothing`() {
    keep("mia")
    pictures.forget()
    #expect(pictures.count == 0)
  }

  @Test func `a written object has its number and the members at its end`() throws {
    var written = object("\"\\")
    written.number = 1_790_000_000_123
    let text = written.serialized(adding: [JSONMember("simulated", true)])
    let read = try JSONParser.parseObject(text)
    #expect(
      read == [
        "customer": "mia", "asOf": 1_790_000_000_123, "text": "\"\\", "simulated": true,
      ]
    )
  }
}
