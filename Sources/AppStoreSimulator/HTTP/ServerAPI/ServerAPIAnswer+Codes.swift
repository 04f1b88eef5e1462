// The numbers of the App Store Server API. Two of consumption have names in Apple's pages and no
// number that is known; they are 4000000 here.
//
// - **Source:** the server-interface facts, sections 3.1 and 3.2. The texts are ours.
extension ServerAPIAnswer {
  static let generalBadRequest = Self(code: 4_000_000, message: "the request cannot be read")
  static let invalidRevision = Self(code: 4_000_005, message: "revision is not one of ours")
  static let invalidTransactionID = Self(
    code: 4_000_006,
    message: "a transaction id has decimal digits only"
  )
  static let invalidOriginalTransactionID = Self(
    code: 4_000_008,
    message: "an original transaction id has decimal digits only"
  )
  static let invalidExtendByDays = Self(code: 4_000_009, message: "extendByDays is from 1 to 90")
  static let invalidExtendReasonCode = Self(
    code: 4_000_010,
    message: "extendReasonCode is from 0 to 3"
  )
  static let invalidRequestIdentifier = Self(
    code: 4_000_011,
    message: "requestIdentifier has 1 to 128 characters"
  )
  static let startDateTooFarInPast = Self(
    code: 4_000_012,
    message: "startDate lies more than 180 days back"
  )
  static let startDateAfterEndDate = Self(
    code: 4_000_013,
    message: "startDate is not before endDate"
  )
  static let invalidPaginationToken = Self(
    code: 4_000_014,
    message: "paginationToken is not one of ours, or belongs to another request"
  )
  static let invalidStartDate = Self(code: 4_000_015, message: "startDate is not in milliseconds")
  static let invalidEndDate = Self(
    code: 4_000_016,
    message: "endDate is not in milliseconds, or not after startDate"
  )
  static let paginationTokenExpired = Self(code: 4_000_017, message: "paginationToken is too old")
  static let invalidNotificationType = Self(
    code: 4_000_018,
    message: "the type or subtype of notifications is none"
  )
  static let multipleFilters = Self(
    code: 4_000_019,
    message: "transactionId and notificationType exclude each other"
  )
  static let invalidTestNotificationToken = Self(code: 4_000_020, message: "no such kind of token")
  static let invalidSort = Self(code: 4_000_021, message: "sort is ASCENDING or DESCENDING")
  static let invalidProductType = Self(
    code: 4_000_022,
    message: "productType is AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE"
  )
  static let invalidProductID = Self(
    code: 4_000_023,
    message: "productId is empty or no product of the app"
  )
  static let invalidGroupID = Self(code: 4_000_024, message: "subscriptionGroupIdentifier is empty")
  static let invalidExcludeRevoked = Self(
    code: 4_000_025,
    message: "excludeRevoked is true or false"
  )
  static let invalidOwnershipType = Self(
    code: 4_000_026,
    message: "inAppOwnershipType is PURCHASED or FAMILY_SHARED"
  )
  static let emptyCountryList = Self(code: 4_000_027, message: "storefrontCountryCodes is empty")
  static let invalidCountry = Self(code: 4_000_028, message: "a storefront country code is none")
  static let invalidRevoked = Self(code: 4_000_030, message: "revoked is true or false")
  static let invalidStatus = Self(code: 4_000_031, message: "status is a number from 1 to 5")
  static let invalidAccountTenure = Self(code: 4_000_032, message: "accountTenure is from 0 to 7")
  static let invalidConsumptionAccountToken = Self(
    code: 4_000_033,
    message: "appAccountToken is a UUID or empty"
  )
  static let invalidConsumptionStatus = Self(
    code: 4_000_034,
    message: "consumptionStatus is from 0 to 3"
  )
  static let invalidCustomerConsented = Self(
    code: 4_000_035,
    message: "customerConsented is not true"
  )
  static let invalidDeliveryStatus = Self(code: 4_000_036, message: "deliveryStatus is none")
  static let invalidDollarsPurchased = Self(
    code: 4_000_037,
    message: "lifetimeDollarsPurchased is from 0 to 7"
  )
  static let invalidDollarsRefunded = Self(
    code: 4_000_038,
    message: "lifetimeDollarsRefunded is from 0 to 7"
  )
  static let invalidPlatform = Self(code: 4_000_039, message: "platform is from 0 to 2")
  static let invalidPlayTime = Self(code: 4_000_040, message: "playTime is from 0 to 7")
  static let invalidSampleContent = Self(
    code: 4_000_041,
    message: "sampleContentProvided is true or false"
  )
  static let invalidUserStatus = Self(code: 4_000_042, message: "userStatus is from 0 to 4")
  static let invalidRefundPreference = Self(code: 4_000_044, message: "refundPreference is none")
  static let transactionTypeNotSupported = Self(
    code: 4_000_047,
    message: "not for products of this type"
  )
  static let appTransactionIDNotSupported = Self(
    code: 4_000_048,
    message: "an app transaction id cannot be used here"
  )
  static let invalidImage = Self(code: 4_000_161, message: "the image is no PNG")
  static let headerTooLong = Self(code: 4_000_162, message: "the header is too long")
  static let bodyTooLong = Self(code: 4_000_163, message: "the body is too long")
  static let invalidLocale = Self(code: 4_000_164, message: "the locale is none")
  static let altTextTooLong = Self(code: 4_000_175, message: "an alternative text is too long")
  static let invalidAccountTokenUUID = Self(
    code: 4_000_183,
    message: "appAccountToken is not a UUID"
  )
  static let familyTransactionNotSupported = Self(
    code: 4_000_185,
    message: "the transaction is a family member's"
  )
  static let notOriginalTransactionID = Self(
    code: 4_000_187,
    message: "the transaction is not an original one"
  )
  static let percentageOfSubscription = Self(
    code: 4_000_209,
    message: "consumptionPercentage is not for auto-renewable subscriptions"
  )
  static let invalidPerformanceTest = Self(
    code: 4_000_211,
    message: "the performance test cannot be read"
  )
  static let invalidRequestID = Self(code: 4_000_212, message: "the request id is not a UUID")
  static let badRealtimeURL = Self(code: 4_000_215, message: "realtimeURL is no https address")
  static let badImageSize = Self(code: 4_000_216, message: "imageSize is FULL_SIZE or BULLET_POINT")
  static let tooManyBulletPoints = Self(
    code: 4_000_218,
    message: "there are too many bullet points"
  )
  static let bulletPointTooLong = Self(
    code: 4_000_219,
    message: "the text of a bullet point is too long"
  )
  static let aboveImageNeedsImage = Self(code: 4_000_224, message: "ABOVE_IMAGE needs an image")
  static let invalidGroup = Self(code: 4_000_225, message: "a group id has decimal digits only")
  static let extensionIneligible = Self(
    code: 4_030_004,
    message: "the subscription cannot be extended"
  )
  static let extensionMax = Self(
    code: 4_030_005,
    message: "the subscription was extended twice in 365 days"
  )
  static let sharedExtensionIneligible = Self(
    code: 4_030_007,
    message: "the subscription is a family member's"
  )
  static let maxImages = Self(code: 4_030_014, message: "there are too many images")
  static let maxMessages = Self(code: 4_030_016, message: "there are too many messages")
  static let imageInUse = Self(code: 4_030_019, message: "a message uses the image")
  static let messageNotApproved = Self(code: 4_030_017, message: "the message was not approved")
  static let appNotFound = Self(code: 4_040_003, message: "no such app")
  static let originalTransactionIDNotFound = Self(
    code: 4_040_005,
    message: "no such original transaction"
  )
  static let serverNotificationURLNotFound = Self(
    code: 4_040_007,
    message: "the app has no address for notifications"
  )
  static let testNotificationNotFound = Self(
    code: 4_040_008,
    message: "the test notification was not sent yet, or is not known"
  )
  static let statusRequestNotFound = Self(code: 4_040_009, message: "no such request")
  static let transactionIDNotFound = Self(code: 4_040_010, message: "no such transaction")
  static let imageNotFound = Self(code: 4_040_014, message: "no such image")
  static let messageNotFound = Self(code: 4_040_015, message: "no such message")
  static let performanceTestNotFound = Self(code: 4_040_018, message: "no such performance test")
  static let appTransactionMissing = Self(
    code: 4_040_019,
    message: "the customer has no app transaction"
  )
  static let defaultMessageNotFound = Self(code: 4_040_020, message: "no default message is set")
  static let realtimeURLNotFound = Self(code: 4_040_021, message: "no address is set")
  static let groupNotFound = Self(code: 4_040_022, message: "no such group")
  static let imageExists = Self(code: 4_090_000, message: "there is such an image already")
  static let messageExists = Self(code: 4_090_001, message: "there is such a message already")
  static let rateLimitExceeded = Self(code: 4_290_000, message: "too many requests")
  static let generalInternal = Self(code: 5_000_000, message: "the store could not sign")
}
