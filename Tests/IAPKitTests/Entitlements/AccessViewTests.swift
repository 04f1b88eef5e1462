import Foundation
import IAPEntitlements
import IAPModel
import Testing

@testable import IAPKit

@Suite("Access")
struct AccessViewTests {
  private let start = Date(milliseconds: 1_700_000_000_000)

  private func later(_ days: Double) -> Date { start.addingTimeInterval(days * 86_400) }

  private func purchase(
    _ id: String = "1",
    product: String = "pro",
    type: ProductType = .nonConsumable,
    until: Date? = nil
  ) -> TransactionPayload {
    var payload = TransactionPayload(
      transactionID: TransactionID(id),
      originalTransactionID: OriginalTransactionID("1"),
      bundleID: BundleID("app"),
      productID: ProductID(product),
      purchaseDate: start
    )
    payload.type = type
    payload.expiresDate = until
    payload.signedDate = start
    if type == .autoRenewable {
      payload.subscriptionGroupID = SubscriptionGroupID("g")
      payload.webOrderLineItemID = WebOrderLineItemID("w" + id)
    }
    return payload
  }

  private func revoked(_ payload: TransactionPayload, at date: Date) -> TransactionPayload {
    var copy = payload
    copy.revocationDate = date
    copy.signedDate = date
    return copy
  }

  @Test("is unknown while nobody has answered")
  func nobodyAnswered() {
    #expect(AccessView().access(to: "pro", at: start) == .unknown)
  }

  @Test("is no when the device has listed everything and there is nothing")
  func nothingOwned() {
    var view = AccessView()
    view.isDeviceListed = true
    #expect(view.access(to: "pro", at: start) == .no)
  }

  @Test("by the device is firm without a server and provisional with one")
  func deviceOnly() {
    var view = AccessView()
    let isNews = view.take(purchase())
    #expect(isNews)
    #expect(
      view.access(to: "pro", at: start) == .yes(until: nil, source: .device, provisional: false)
    )
    view.hasServer = true
    #expect(
      view.access(to: "pro", at: start) == .yes(until: nil, source: .device, provisional: true)
    )
  }

  @Test("by the server has the last word over what the device knew before")
  func serverDecides() {
    var view = AccessView()
    view.hasServer = true
    _ = view.take(purchase())
    view.take([ValidatedEntitlement(id: "other")], .customer, at: start)
    #expect(view.access(to: "pro", at: start) == .no)
    #expect(
      view.access(to: "other", at: start) == .yes(until: nil, source: .server, provisional: false)
    )
  }

  @Test("for a purchase that the server has not heard of yet is provisional")
  func purchaseAfterTheAnswer() {
    var view = AccessView()
    view.hasServer = true
    view.take([], .customer, at: start)
    _ = view.take(purchase())
    #expect(
      view.access(to: "pro", at: start) == .yes(until: nil, source: .device, provisional: true)
    )
  }

  @Test("ends at the server's date, to the instant")
  func serverDateEnds() {
    var view = AccessView()
    view.hasServer = true
    view.take([ValidatedEntitlement(id: "plus", until: later(1))], .customer, at: start)
    #expect(view.access(to: "plus", at: later(1).addingTimeInterval(-1)).isGranted)
    #expect(view.access(to: "plus", at: later(1)) == .no)
  }

  @Test("ends at once when the device learns of a revocation")
  func revocationActsAtOnce() {
    var view = AccessView()
    view.hasServer = true
    _ = view.take(purchase())
    view.take([ValidatedEntitlement(id: "pro", productId: "pro")], .customer, at: start)
    #expect(view.access(to: "pro", at: start).isGranted)
    _ = view.take(revoked(purchase(), at: later(1)))
    #expect(view.access(to: "pro", at: later(1)) == .no)
    #expect(view.productIDs(at: later(1)) == [])
  }

  @Test("from a kept answer is provisional, and lasts as long as the policy says")
  func offline() {
    var view = AccessView()
    view.hasServer = true
    view.answers[.customer] = AccessView.ServerAnswer(
      entitlements: [ValidatedEntitlement(id: "pro")],
      asOf: start,
      isFresh: false
    )
    #expect(
      view.access(to: "pro", at: later(7)) == .yes(until: nil, source: .server, provisional: true)
    )
    #expect(view.access(to: "pro", at: later(7).addingTimeInterval(1)) == .unknown)
  }

  @Test("from a kept answer does not count when the clock went back")
  func clockRollback() {
    var view = AccessView()
    view.hasServer = true
    view.answers[.customer] = AccessView.ServerAnswer(
      entitlements: [ValidatedEntitlement(id: "pro")],
      asOf: start,
      isFresh: false
    )
    #expect(view.access(to: "pro", at: start.addingTimeInterval(-3600)).isGranted)
    #expect(view.access(to: "pro", at: start.addingTimeInterval(-3601)) == .unknown)
  }

  @Test("that an old answer does not mention is unknown, not no")
  func silenceIsNotNo() {
    var view = AccessView()
    view.hasServer = true
    view.answers[.customer] = AccessView.ServerAnswer(entitlements: [], asOf: start, isFresh: false)
    #expect(view.access(to: "pro", at: start) == .unknown)
    view.isDeviceListed = true
    #expect(view.access(to: "pro", at: start) == .no)
  }

  @Test("goes on with each renewal and ends with the last period")
  func renewals() {
    var view = AccessView()
    _ = view.take(purchase("1", type: .autoRenewable, until: later(30)))
    #expect(
      view.access(to: "pro", at: later(29))
        == .yes(until: later(30), source: .device, provisional: false)
    )
    view.isDeviceListed = true
    #expect(view.access(to: "pro", at: later(31)) == .no)
    var renewal = purchase("2", type: .autoRenewable, until: later(60))
    renewal.purchaseDate = later(30)
    renewal.signedDate = later(30)
    _ = view.take(renewal)
    #expect(
      view.access(to: "pro", at: later(31))
        == .yes(until: later(60), source: .device, provisional: false)
    )
  }

  @Test("never comes from a consumable")
  func consumables() {
    var view = AccessView()
    view.isDeviceListed = true
    _ = view.take(purchase(type: .consumable))
    #expect(view.access(to: "pro", at: start) == .no)
    #expect(view.productIDs(at: start) == [])
  }

  @Test("follows the mapping from products to entitlements")
  func mapping() {
    var view = AccessView()
    view.catalog = EntitlementCatalog(rules: [
      "pro": EntitlementCatalog.Rule(["export", "themes"])
    ])
    _ = view.take(purchase())
    #expect(view.access(to: "export", at: start).isGranted)
    #expect(view.access(to: "themes", at: start).isGranted)
    #expect(view.access(to: "pro", at: start) == .unknown)
    #expect(view.productIDs(at: start) == ["pro"])
  }

  @Test("to one purchase does not end with an answer about another")
  func answersAboutPurchases() {
    var view = AccessView()
    view.hasServer = true
    view.take([ValidatedEntitlement(id: "pro")], .purchase("1"), at: start)
    view.take([ValidatedEntitlement(id: "plus")], .purchase("2"), at: start)
    #expect(view.access(to: "pro", at: start).isGranted)
    #expect(view.access(to: "plus", at: start).isGranted)
    view.take([], .purchase("1"), at: start)
    #expect(view.access(to: "pro", at: start) == .no)
    #expect(view.access(to: "plus", at: start).isGranted)
    view.take([], .customer, at: start)
    #expect(view.access(to: "plus", at: start) == .no)
  }

  @Test("never comes from a purchase that the server refused, until it accepts it")
  func refusedPurchases() {
    var view = AccessView()
    view.hasServer = true
    view.isDeviceListed = true
    _ = view.take(purchase())
    #expect(view.access(to: "pro", at: start).isGranted)
    view.take("1", isAccepted: false)
    #expect(view.access(to: "pro", at: start) == .no)
    view.take("1", isAccepted: true)
    #expect(view.access(to: "pro", at: start).isGranted)
  }

  @Test("that the server denied is not regained when the device hears of the purchase late")
  func lateFacts() {
    var view = AccessView()
    view.hasServer = true
    view.take("1", isAccepted: true)
    view.take([], .customer, at: start)
    _ = view.take(purchase())
    #expect(view.access(to: "pro", at: start) == .no)
  }
}
