public import IAPModel

/// The catalog of the demonstration: the text of `Demo/Demo.storekit`, so that the binary needs no
/// file beside it.
public enum DemoCatalog {
  /// The app that sells it.
  public static let bundleID = BundleID("com.example.demo")
  /// The app's number.
  public static let appAppleID = AppAppleID(1_234_567_890)
  /// A consumable.
  public static let coins = ProductID("com.example.demo.coins")
  /// A non-consumable.
  public static let lifetime = ProductID("com.example.demo.lifetime")
  /// A non-renewing subscription.
  public static let season = ProductID("com.example.demo.season")
  /// A subscription that renews every month.
  public static let monthly = ProductID("com.example.demo.plus.monthly")
  /// A subscription of the same group that renews every year, the first week free.
  public static let yearly = ProductID("com.example.demo.plus.yearly")
  /// The group of both.
  public static let group = SubscriptionGroupID("DE300020")

  /// The catalog.
  ///
  /// - Returns: The catalog.
  /// - Throws: ``SimulatorError`` with `badCatalog`; a test shows that it does not.
  public static func load() throws(SimulatorError) -> StoreCatalog {
    try StoreCatalog(parsing: Array(text.utf8), file: "Demo.storekit")
  }

  /// The bytes of the file as text.
  public static let text = """
    {
      "identifier" : "DE300001",
      "nonRenewingSubscriptions" : [
        {
          "displayPrice" : "9.99",
          "familyShareable" : false,
          "internalID" : "DE300011",
          "localizations" : [
            {
              "description" : "Everything in this season.",
              "displayName" : "Season Pass",
              "locale" : "en_US"
            },
            {
              "description" : "本赛季的全部内容。",
              "displayName" : "赛季通行证",
              "locale" : "zh_Hans"
            }
          ],
          "productID" : "com.example.demo.season",
          "referenceName" : "Season pass",
          "type" : "NonRenewingSubscription"
        }
      ],
      "products" : [
        {
          "displayPrice" : "0.99",
          "familyShareable" : false,
          "internalID" : "DE300012",
          "localizations" : [
            {
              "description" : "A handful of coins.",
              "displayName" : "100 Coins",
              "locale" : "en_US"
            },
            {
              "description" : "一把金币。",
              "displayName" : "100 金币",
              "locale" : "zh_Hans"
            }
          ],
          "productID" : "com.example.demo.coins",
          "referenceName" : "100 coins",
          "type" : "Consumable"
        },
        {
          "displayPrice" : "29.99",
          "familyShareable" : true,
          "internalID" : "DE300013",
          "localizations" : [
            {
              "description" : "Everything, for ever.",
              "displayName" : "Lifetime",
              "locale" : "en_US"
            },
            {
              "description" : "永久解锁全部内容。",
              "displayName" : "终身版",
              "locale" : "zh_Hans"
            }
          ],
          "productID" : "com.example.demo.lifetime",
          "referenceName" : "Lifetime",
          "type" : "NonConsumable"
        }
      ],
      "settings" : {
        "_locale" : "en_US",
        "_storefront" : "USA"
      },
      "subscriptionGroups" : [
        {
          "id" : "DE300020",
          "localizations" : [

          ],
          "name" : "Plus",
          "subscriptions" : [
            {
              "adHocOffers" : [

              ],
              "codeOffers" : [

              ],
              "displayPrice" : "4.99",
              "familyShareable" : false,
              "groupNumber" : 1,
              "internalID" : "DE300021",
              "introductoryOffer" : null,
              "localizations" : [
                {
                  "description" : "Everything, by the month.",
                  "displayName" : "Plus, monthly",
                  "locale" : "en_US"
                },
                {
                  "description" : "按月订阅全部内容。",
                  "displayName" : "Plus 月度",
                  "locale" : "zh_Hans"
                }
              ],
              "productID" : "com.example.demo.plus.monthly",
              "recurringSubscriptionPeriod" : "P1M",
              "referenceName" : "Plus monthly",
              "subscriptionGroupID" : "DE300020",
              "type" : "RecurringSubscription"
            },
            {
              "adHocOffers" : [

              ],
              "codeOffers" : [

              ],
              "displayPrice" : "49.99",
              "familyShareable" : false,
              "groupNumber" : 1,
              "internalID" : "DE300022",
              "introductoryOffer" : {
                "internalID" : "DE300023",
                "numberOfPeriods" : 1,
                "paymentMode" : "free",
                "subscriptionPeriod" : "P1W"
              },
              "localizations" : [
                {
                  "description" : "Everything, by the year.",
                  "displayName" : "Plus, yearly",
                  "locale" : "en_US"
                },
                {
                  "description" : "按年订阅全部内容。",
                  "displayName" : "Plus 年度",
                  "locale" : "zh_Hans"
                }
              ],
              "productID" : "com.example.demo.plus.yearly",
              "recurringSubscriptionPeriod" : "P1Y",
              "referenceName" : "Plus yearly",
              "subscriptionGroupID" : "DE300020",
              "type" : "RecurringSubscription"
            }
          ]
        }
      ],
      "version" : {
        "major" : 4,
        "minor" : 0
      }
    }

    """
}
