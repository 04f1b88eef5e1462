/// Every rule, in the order of the index.
package enum LintRules {
  static let all: [any LintRule.Type] = [
    ListenerNotStarted.self, ObserverAddedInView.self, ObserverRemoved.self, ListenerEnds.self,
    ObserverNotSendable.self,
    FinishBeforeDelivery.self, FinishMissing.self, FailedNotFinished.self,
    FinishWithoutReceipt.self, UnverifiedPayloadUsed.self, MissingRevocationCheck.self,
    GrantedByRequestedProduct.self, LocalOnlyUnlock.self, EntitlementsCheckedOnce.self,
    ExpiryComputed.self, SignedDataNotSent.self, ReceiptCheckedOnDevice.self,
    DebugAsEnvironment.self, ForcedUUID.self, TryQuestionPurchase.self,
    PendingIgnored.self, CancelShownAsError.self, ProductsLoadedAtTap.self,
    HardCodedPrice.self, PriceInDeviceLocale.self, RestoreMissing.self, RestoreWithoutTap.self,
    PolicyLinksMissing.self, TermsNotShown.self, ThirdPartyPayment.self,
    StoreKitOutsideFacade.self, OriginalAPI.self, ScatteredIDs.self, NoPurchaseTests.self,
  ]

  /// What is known about the rules, with the one about silences.
  package static let infos: [RuleInfo] = all.map { $0.info } + [Silences.info]

  /// The rule with a name; nil when there is none.
  package static func info(_ name: RuleName) -> RuleInfo? { infos.first { $0.name == name } }
}
