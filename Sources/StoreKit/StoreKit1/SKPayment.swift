public import Foundation

/// What a payment asks for, as a value.
package struct PaymentValue: Hashable, Sendable {
  package struct Discount: Hashable, Sendable {
    package var identifier: String
    package var keyIdentifier: String
    package var nonce: UUID
    package var signature: String
    package var timestamp: Int
  }

  package var productIdentifier = ""
  package var quantity = 1
  package var applicationUsername: String?
  package var simulatesAskToBuyInSandbox = false
  package var discount: Discount?
  /// Reserved: a payment that has it fails.
  package var requestData: Data?

  package init(productIdentifier: String = "") {
    self.productIdentifier = productIdentifier
  }
}

open class SKPayment: NSObject, NSCopying, NSMutableCopying {
  var value: PaymentValue

  public override init() {
    value = PaymentValue()
    super.init()
  }

  public convenience init(product: SKProduct) {
    self.init()
    value.productIdentifier = product.productIdentifier
  }

  convenience init(_ value: PaymentValue) {
    self.init()
    self.value = value
  }

  open var productIdentifier: String { value.productIdentifier }
  open var quantity: Int { value.quantity }
  open var applicationUsername: String? { value.applicationUsername }
  open var simulatesAskToBuyInSandbox: Bool { value.simulatesAskToBuyInSandbox }
  open var requestData: Data? { value.requestData }
  open var paymentDiscount: SKPaymentDiscount? { value.discount.map(SKPaymentDiscount.init) }

  open func copy(with zone: NSZone? = nil) -> Any { SKPayment(value) }

  open func mutableCopy(with zone: NSZone? = nil) -> Any { SKMutablePayment(value) }

  open override func isEqual(_ object: Any?) -> Bool { (object as? SKPayment)?.value == value }

  open override var hash: Int { value.hashValue }
}

open class SKMutablePayment: SKPayment {
  open override var productIdentifier: String {
    get { value.productIdentifier }
    set { value.productIdentifier = newValue }
  }

  open override var quantity: Int {
    get { value.quantity }
    set { value.quantity = newValue }
  }

  open override var applicationUsername: String? {
    get { value.applicationUsername }
    set { value.applicationUsername = newValue }
  }

  open override var simulatesAskToBuyInSandbox: Bool {
    get { value.simulatesAskToBuyInSandbox }
    set { value.simulatesAskToBuyInSandbox = newValue }
  }

  open override var requestData: Data? {
    get { value.requestData }
    set { value.requestData = newValue }
  }

  open override var paymentDiscount: SKPaymentDiscount? {
    get { value.discount.map(SKPaymentDiscount.init) }
    set { value.discount = newValue?.value }
  }
}

public final class SKPaymentDiscount: NSObject, Sendable {
  let value: PaymentValue.Discount

  public init(
    identifier: String,
    keyIdentifier: String,
    nonce: UUID,
    signature: String,
    timestamp: NSNumber
  ) {
    value = PaymentValue.Discount(
      identifier: identifier,
      keyIdentifier: keyIdentifier,
      nonce: nonce,
      signature: signature,
      timestamp: timestamp.intValue
    )
    super.init()
  }

  init(_ value: PaymentValue.Discount) {
    self.value = value
    super.init()
  }

  public var identifier: String { value.identifier }
  public var keyIdentifier: String { value.keyIdentifier }
  public var nonce: UUID { value.nonce }
  public var signature: String { value.signature }
  public var timestamp: NSNumber { NSNumber(value: value.timestamp) }
}
