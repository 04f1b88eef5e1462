public import AppStoreSimulator
public import Foundation
public import IAPModel
package import StoreKit
import Synchronization

/// A telephone with one app: it outlives the app's processes.
///
/// Everything that is on the device stays when a process is killed: the disk as far as it was
/// flushed, the receipt, what StoreKit knows.
///
/// - **Concurrency:** safe from any thread.
public final class SimulatedDevice: Sendable {
  /// The store's name of the device.
  public let id: DeviceID
  /// The store that the device buys at; its clock is the device's.
  public let store: SimulatedAppStore
  /// The person who holds the device.
  public let person = Person()
  /// The payment sheets that the person left open.
  public let sheet = PaymentSheet()
  /// The way to the store.
  public let connection = DeviceConnection()
  /// The disk.
  public let disk = SimulatedDisk()

  /// In which of the ways that differ among real systems StoreKit behaves.
  public let options: DeviceOptions

  let log = SheetLog()
  let controls = DeviceControls()
  private let queueMemory = QueueMemory()
  private let memory = DeviceMemory()
  private let processes = Mutex((count: 0, current: AppProcess?.none))

  /// Sets up a device: an account signs in and installs the app.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - account: The account; the store must know it.
  ///   - id: The device's name; the store must not know it.
  ///   - app: The app; nil for the store's first one.
  ///   - options: In which of the ways that differ among real systems StoreKit behaves.
  /// - Throws: `SimulatorError` with `unknownAccount`, `unknownApp` or `duplicate`.
  public init(
    store: SimulatedAppStore,
    account: AccountID,
    id: DeviceID,
    app: BundleID? = nil,
    options: DeviceOptions = DeviceOptions()
  ) throws(SimulatorError) {
    self.store = store
    self.options = options
    self.id = try store.addDevice(id, account: account, app: app)
    // What was taken back before the app was installed is no news.
    memory.note(line.history())
    _ = memory.takeQueueRevocations(in: line.history())
  }

  var line: StoreLine { StoreLine(store: store, device: id, controls: controls) }

  /// Starts the app; a process that was running before is killed.
  ///
  /// What is unfinished is announced once to the first listener of the new process.
  ///
  /// - Returns: The new process.
  public func launch() -> AppProcess {
    let (number, old) = processes.withLock { processes in
      processes.count += 1
      defer { processes.current = nil }
      return (processes.count, processes.current)
    }
    old?.kill()
    let life = ProcessLife(number: number)
    // Registered first: when a kill is noticed anywhere, the disk has lost what was not flushed.
    _ = life.onKill { [disk] in disk.processEnded(number) }
    let host = ProcessHost(
      life: life,
      line: line,
      person: person,
      sheet: sheet,
      log: log,
      connection: connection,
      queueMemory: queueMemory,
      memory: memory,
      options: options
    )
    host.begin()
    let process = AppProcess(life: life, host: host, disk: disk)
    processes.withLock { $0.current = process }
    return process
  }

  /// Whether the device has no network; what the app misses arrives when it has again.
  public var isInAirplaneMode: Bool {
    get { store.faults.offlineDevices.contains(id) }
    set { store.setNetwork(!newValue, of: id) }
  }

  /// The person comes back to the app; nothing happens when it is not running, or the device is
  /// locked.
  public func enterForeground() { processes.withLock { $0.current }?.enterForeground() }

  /// The order in which the app wants its promoted products to be shown; empty for the usual one.
  public var promotionOrder: [ProductID] { memory.promotions.order.map { ProductID($0) } }

  /// The promoted products that the app does not want to be shown.
  public var hiddenPromotions: Set<ProductID> {
    let hidden = Product.PromotionInfo.Visibility.hidden.rawValue
    return Set(
      memory.promotions.visibilities.filter { $0.value == hidden }.keys.map { ProductID($0) }
    )
  }

  /// The App Store has a message for the customer; it is lost when the app is not running.
  package func show(_ reason: Message.Reason) {
    livingHost?.tell(Message(reason: reason))
  }

  /// The app receipt as it is on the device: DER of PKCS#7, nil when there is none.
  ///
  /// It is brought up to date by purchases, restores, refreshes and by transactions that arrive for
  /// StoreKit 1's queue, so it may be older than what the store knows.
  public var receipt: [UInt8]? { (try? store.receipt(on: id)) ?? nil }

  /// What UIKit calls the device for the vendor; receipts are tied to it.
  public var identifierForVendor: UUID { store.identifierForVendor(of: id) }

  /// The process's side of StoreKit while the app runs.
  var livingHost: ProcessHost? {
    let process = processes.withLock { $0.current }
    return process?.isAlive == true ? process?.host : nil
  }

  /// The person starts a purchase on the app's page in the App Store.
  ///
  /// The app hears of it at once when it is running, and otherwise at its next launch.
  ///
  /// - Parameters:
  ///   - product: What.
  ///   - winBackOffer: The offer that it is begun with; nil for none.
  /// - Throws: `SimulatorError` with `unknownProduct` or `unreachable`, or `notAllowed` when the
  ///   product has no such offer.
  public func promotePurchase(
    of product: ProductID,
    winBackOffer: OfferID? = nil
  ) throws(SimulatorError) {
    guard let found = try store.products([product], on: id).first else {
      throw SimulatorError(.unknownProduct, "the catalog has no \"\(product)\"")
    }
    if let winBackOffer {
      let offers = found.subscription?.winBackOffers ?? []
      guard offers.contains(where: { $0.id == winBackOffer }) else {
        throw SimulatorError(.notAllowed, "\(product) has no offer \"\(winBackOffer)\"")
      }
    }
    let promoted = PromotedPurchase(product: found, offer: winBackOffer)
    guard let host = livingHost else { return memory.keepPromotedPurchase(promoted) }
    host.promote(promoted)
  }
}
