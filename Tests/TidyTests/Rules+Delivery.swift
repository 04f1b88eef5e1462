/// StoreKit is told in one place only (design, invariant 1).
let deliveryRules: [TidyRule] = [
  TidyRule(
    name: "delivery.finish-once",
    remedy: "go through DeliveryFunnel.tellStore, which asks FinishPolicy and tells StoreKit",
    bad: [
      "Sources/IAPKit/Delivery/A.swift": "await adapter.finish(a)\n",
      "Sources/IAPKit/Core/B.swift": "await store.adapter.finish(b)\n",
    ],
    good: ["Sources/IAPKit/Delivery/A.swift": "await adapter.finish(a)\nfinish(record)\n"]
  ) { tree in tree.repeated(adapterFinish) },
  TidyRule(
    name: "delivery.storekit-finish-once",
    remedy: "each adapter calls StoreKit's own finish in one place, its 'finish(_:)'",
    bad: [
      "Sources/IAPKit/StoreKit1/A.swift":
        "queue.finishTransaction(a)\nSKPaymentQueue.default().finishTransaction(b)\n"
    ],
    good: [
      "Sources/IAPKit/StoreKit1/A.swift": "queue.finishTransaction(a)\n",
      "Sources/IAPKit/StoreKit2/B.swift": "await transaction.finish()\ncontinuation.finish()\n",
    ]
  ) { tree in tree.repeated(queueFinish) + tree.repeated(transactionFinish) },
]

private let adapterFinish = Pattern(#"\badapter\??\.finish\("#)
private let queueFinish = Pattern(#"\bfinishTransaction\("#)
private let transactionFinish = Pattern(
  #"(?:[tT]ransaction(?:\([^)]*\))?|[pP]ayloadValue)\??\.finish\(\)"#
)

extension SourceTree {
  /// The places in the client where a call stands, when there are several.
  fileprivate func repeated(_ call: Pattern) -> [TidyRule.Finding] {
    let found = sources.filter { $0.target == "IAPKit" }.flatMap { file in
      call.matches(in: file.swift?.code ?? "").map {
        TidyRule.Finding(file, line: $0.line, "the call stands in more than one place")
      }
    }
    return found.count > 1 ? found : []
  }
}
