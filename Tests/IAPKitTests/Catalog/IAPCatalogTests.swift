import Foundation
import IAPKit
import Testing

@Suite("A catalog")
struct IAPCatalogTests {
  private func problems(_ text: String) -> [String] {
    do throws(IAPError) {
      _ = try IAPCatalog(json: Data(text.utf8))
      return []
    } catch {
      guard case .invalidConfiguration(let problems) = error else { return ["\(error)"] }
      return problems
    }
  }

  @Test("is read with everything that it says, in its order")
  func whole() throws {
    let text = """
      {"products":[
        {"id":"pro","type":"Auto-Renewable Subscription","entitlements":["all"],"group":"g",
          "level":2,"displayName":{"en":"Pro","zh-Hans":"专业版"}},
        {"id":"season","type":"Non-Renewing Subscription","duration":"P30D","newer":true},
        {"id":"coins","entitlements":[],"level":null}
      ],"version":3}
      """
    let catalog = try IAPCatalog(json: Data(text.utf8))
    #expect(
      catalog
        == IAPCatalog([
          IAPCatalog.Entry(
            id: "pro",
            type: .autoRenewable,
            entitlements: ["all"],
            displayNames: ["en": "Pro", "zh-Hans": "专业版"],
            group: "g",
            level: 2
          ),
          IAPCatalog.Entry(
            id: "season",
            type: .nonRenewable,
            duration: SubscriptionPeriod(30, .day)
          ),
          IAPCatalog.Entry(id: "coins", entitlements: []),
        ])
    )
    #expect(catalog.productIds == ["pro", "season", "coins"])
  }

  @Test(
    "has names in the languages of the user",
    arguments: [
      (["zh-Hans-CN", "en"], "专业版"), (["en-GB"], "Pro"), (["fr", "en"], "Pro"), (["fr"], nil),
      (["zh-Hant-TW"], nil), ([], nil),
    ]
  )
  func names(row: (languages: [String], name: String?)) {
    let catalog = IAPCatalog([
      IAPCatalog.Entry(id: "pro", displayNames: ["en": "Pro", "zh-Hans": "专业版"])
    ])
    #expect(catalog.displayName(of: "pro", languages: row.languages) == row.name)
  }

  @Test(
    "is refused when it is something else",
    arguments: [
      ("<!DOCTYPE html><html></html>", "the text is a page (HTML), no catalog"),
      ("\n <html>", "the text is a page (HTML), no catalog"),
      ("", "the text is no JSON object: notJSON"), ("[]", "the text is no JSON object: wrongType"),
      ("{", "the text is no JSON object: notJSON"),
      ("{}", "products is missing: an array of objects"),
      (#"{"products":{}}"#, "products is not an array of objects"),
      (#"{"products":["coins"]}"#, "products is not an array of objects"),
    ]
  )
  func refused(row: (text: String, problem: String)) {
    #expect(problems(row.text) == [row.problem])
  }

  @Test("names every bad member, and is refused as a whole")
  func badMembers() {
    let text = """
      {"products":[{"id":"good"},{"type":"Consumable"},{"id":"two words"},{"id":"good"},
        {"id":"a","level":-1,"duration":"a month","entitlements":"all","displayName":["A"]}]}
      """
    #expect(
      problems(text) == [
        "products[1].id is missing: a text", "products[2].id is not possible",
        "products[3].id stands twice", "products[4].duration is not a length such as P30D",
        "products[4].entitlements is not an array of texts",
        "products[4].displayName is not an object whose members are texts",
        "products[4].level is not a whole number from 0",
      ]
    )
  }

  @Test("has so many products at most", arguments: [(10_000, true), (10_001, false)])
  func entryLimit(row: (count: Int, fits: Bool)) {
    let entries = (0..<row.count).map { #"{"id":"p\#($0)"}"# }.joined(separator: ",")
    #expect(
      problems(#"{"products":[\#(entries)]}"#)
        == (row.fits ? [] : ["products has more than 10000 members"])
    )
  }

  @Test("is so long at most", arguments: [(1024 * 1024, true), (1024 * 1024 + 1, false)])
  func byteLimit(row: (count: Int, fits: Bool)) {
    let text = #"{"products":[{"id":"a"}]}"#
    let padded = text + String(repeating: " ", count: row.count - text.utf8.count)
    #expect(problems(padded) == (row.fits ? [] : ["the text is no JSON object: tooLarge"]))
  }
}
