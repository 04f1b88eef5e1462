import AppStoreSimulator
import IAPKit
import SimulatedDevice
import Testing

@testable import WebDemo

@Suite("demo actions")
struct DemoActionTests {
  @Test(arguments: [
    ("buy:com.example.demo.coins", DemoAction.buy(DemoCatalog.coins)),
    ("restore", .restore), ("confirm", .confirm), ("cancel", .cancel), ("askParent", .askParent),
    ("failPayment", .failPayment), ("leave", .leave), ("comeBack", .comeBack), ("kill", .kill),
    ("launch", .launch), ("killAt:afterPurchase", .killAt(.afterPurchase)),
    ("killAt:", .killAt(nil)), ("network:on", .network(true)), ("network:off", .network(false)),
    ("server:off", .server(false)), ("generation:storekit1", .generation(.storekit1)),
    ("advance:month", .advance(.month)), ("approve:p-1", .approve("p-1")),
    ("refund:2000", .refund("2000")), ("storefront:JPN", .storefront("JPN")),
    ("startOver", .startOver),
  ])
  func aButtonIsRead(_ text: String, _ action: DemoAction) throws {
    #expect(try DemoAction(text) == action)
  }

  @Test(arguments: [
    "", ":", "nothing", "buy", "buy:", "buy:com.example.other", "network:", "network:maybe",
    "killAt:everywhere", "storefront:ATL", "advance:century", "generation:storekit3", "approve:",
    "refund:", "recheck:",
  ])
  func whatNoButtonSaysIsRefused(_ text: String) {
    #expect(throws: DemoError(.unknownAction, "")) { try DemoAction(text) }
  }
}
