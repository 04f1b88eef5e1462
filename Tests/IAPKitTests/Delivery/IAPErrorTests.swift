import Foundation
import IAPKit
import Testing

@Suite struct IAPErrorTests {
  private struct Secret: Error, CustomStringConvertible {
    var description: String { "secret-of-the-underlying-error" }
  }

  /// Every case, with its code and whether trying again may help.
  private static let every: [(error: IAPError, code: String, isRetryable: Bool)] = [
    (.productLoadFailed(underlying: Secret()), "productLoadFailed", true),
    (.productNotFound(id: "coins"), "productNotFound", false),
    (.userCancelled, "userCancelled", true),
    (.pending, "pending", false),
    (.verificationFailed(underlying: Secret()), "verificationFailed", false),
    (.receiptValidationFailed, "receiptValidationFailed", false),
    (.staleReceipt, "staleReceipt", true),
    (.purchaseInProgress, "purchaseInProgress", true),
    (.paymentsNotAllowed, "paymentsNotAllowed", false),
    (.network(underlying: Secret()), "network", true),
    (.storage(.full), "storage", true),
    (.store(code: 2, underlying: Secret()), "store", true),
    (.invalidOrder(reason: "why"), "invalidOrder", false),
    (.invalidConfiguration(problems: ["key"]), "invalidConfiguration", false),
    (.unknown, "unknown", true),
  ]

  @Test func everyErrorHasAStableCodeAndSaysWhetherToTryAgain() {
    for row in Self.every {
      #expect(row.error.code.rawValue == row.code)
      #expect(row.error.isRetryable == row.isRetryable, "\(row.code)")
    }
    #expect(Set(Self.every.map(\.code)).count == Self.every.count)
  }

  @Test func errorsAreEqualWhenTheirCodesAre() {
    for (index, left) in Self.every.enumerated() {
      for (other, right) in Self.every.enumerated() {
        #expect((left.error == right.error) == (index == other))
      }
    }
    #expect(IAPError.productNotFound(id: "a") == .productNotFound(id: "b"))
    #expect(IAPError.storage(.full) == .storage(.readOnly))
  }

  @Test func patternsOfTheFacadeCompileAndMatch() {
    func name(_ error: any Error) -> String {
      do { throw error } catch IAPError.userCancelled {
        return "cancelled"
      } catch IAPError.productNotFound(let id) {
        return "no \(id)"
      } catch IAPError.productLoadFailed(let underlying) {
        return "load \(type(of: underlying))"
      } catch let error as IAPError where error == .pending {
        return "pending"
      } catch {
        return "other"
      }
    }
    #expect(name(IAPError.userCancelled) == "cancelled")
    #expect(name(IAPError.productNotFound(id: "coins")) == "no coins")
    #expect(name(IAPError.productLoadFailed(underlying: Secret())) == "load Secret")
    #expect(name(IAPError.pending) == "pending")
    #expect(name(IAPError.unknown) == "other")
  }

  @Test(arguments: IAPError.Language.allCases)
  func everyErrorHasATextOfItsOwnInEachLanguage(_ language: IAPError.Language) {
    let texts = Self.every.map { $0.error.userText(language) }
    #expect(Set(texts).count == texts.count)
    for text in texts {
      let isChinese = text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
      #expect(isChinese == (language == .simplifiedChinese), "\(text)")
    }
    #expect(Self.every.allSatisfy { !$0.error.developerHint.isEmpty })
  }

  @Test func noTextTellsWhatLiesUnderneath() {
    for (error, _, _) in Self.every {
      let texts = [
        error.description, "\(error)", error.developerHint, error.userText(.english),
        error.localizedDescription,
      ]
      #expect(!texts.contains { $0.contains("secret-of") })
    }
    #expect(IAPError.network(underlying: Secret()).underlyingError is Secret)
  }

  @Test(arguments: [
    (["zh-Hans-CN", "en"], IAPError.Language.simplifiedChinese),
    (["en-GB", "zh-Hans"], .english),
    (["zh-Hant-TW"], .english),
    (["fr-FR", "zh-CN"], .simplifiedChinese),
    (["fr-FR"], .english),
    ([], .english),
  ])
  func languageIsTheFirstThatExists(_ row: (preferred: [String], language: IAPError.Language)) {
    #expect(IAPError.Language.best(of: row.preferred) == row.language)
  }
}
