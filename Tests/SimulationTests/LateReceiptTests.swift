import Testing

@testable import Simulation

@Suite("A receipt that appears late")
struct LateReceiptTests {
  @Test("is read when the one of before was read often enough, and at once when there was none")
  func late() {
    let receipt = LateReceipt()
    #expect(receipt.next(nil) == nil)
    #expect(receipt.next([1]) == [1])
    for _ in 0..<LateReceipt.readsMax { #expect(receipt.next([2]) == [1]) }
    #expect(receipt.next([2]) == [2])
    #expect(receipt.next([2]) == [2])
    #expect(receipt.next([3]) == [2])
  }
}
