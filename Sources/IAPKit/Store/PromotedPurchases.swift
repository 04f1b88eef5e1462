import Foundation
import IAPModel

/// Promoted purchases that wait for the app, on the disk: the App Store tells of each once.
///
/// An app that is killed while its customer signs in finds them again; after a day they are gone,
/// because a customer who sees no sheet for so long has forgotten the tap.
final class PromotedPurchases: Sendable {
  static let fileName = "promoted.json"
  static let version: Int64 = 1
  /// For how many seconds one waits.
  static let keptSecondsMax: TimeInterval = 86_400
  /// How many wait at most; then the oldest is let go.
  static let waitingMax = 20

  private struct Waiting {
    let purchase: PromotedPurchase
    let since: Date
  }

  /// Those that begin to wait.
  let arrivals = Broadcast<PromotedPurchase>()
  private let world: IAPWorld
  private let waiting: Locked<[Waiting]>

  /// Takes up what an earlier process left.
  init(world: IAPWorld) {
    self.world = world
    do throws(IAPError) {
      waiting = Locked(try world.files.read(Self.fileName).map(Self.waiting) ?? [])
    } catch {
      waiting = Locked([])
      world.log(LogLine(.warning, "promoted purchases cannot be read: \(error)"))
    }
  }

  var all: [PromotedPurchase] { waiting.withLock { current(&$0).map(\.purchase) } }

  /// Those that wait already, then those that begin to.
  var stream: AsyncStream<PromotedPurchase> {
    waiting.withLock { arrivals.stream(after: current(&$0).map(\.purchase)) }
  }

  func add(_ purchase: PromotedPurchase) {
    waiting.withLock { waiting in
      if !current(&waiting).contains(where: { $0.purchase == purchase }) {
        waiting.append(Waiting(purchase: purchase, since: world.now()))
        waiting.removeFirst(max(0, waiting.count - Self.waitingMax))
        keep(waiting)
      }
      arrivals.send(purchase)
    }
  }

  func remove(_ purchase: PromotedPurchase) {
    waiting.withLock { waiting in
      guard waiting.contains(where: { $0.purchase == purchase }) else { return }
      waiting.removeAll { $0.purchase == purchase }
      keep(waiting)
    }
  }

  /// Lets go what has waited too long; a clock that was set back says nothing about that.
  private func current(_ waiting: inout [Waiting]) -> [Waiting] {
    let now = world.now()
    waiting.removeAll { now.timeIntervalSince($0.since) > Self.keptSecondsMax }
    return waiting
  }

  // MARK: The file

  private func keep(_ waiting: [Waiting]) {
    let purchases = waiting.map { entry -> JSONValue in
      var object: JSONObject = ["productId": .string(entry.purchase.productId)]
      object["offerId"] = entry.purchase.offerId.map { .string($0) }
      object["since"] = .integer(entry.since.milliseconds)
      return .object(object)
    }
    let root: JSONObject = ["version": .integer(Self.version), "purchases": .array(purchases)]
    do throws(IAPError) {
      try world.files.replace(Self.fileName, with: root.serialized)
    } catch {
      world.log(LogLine(.warning, "promoted purchases cannot be kept: \(error)"))
    }
  }

  /// Reads a file; what cannot be read does not wait.
  private static func waiting(_ bytes: [UInt8]) -> [Waiting] {
    guard let root = try? JSONParser.parseObject(bytes, limits: .document),
      root["version"]?.integerValue == version
    else { return [] }
    return (root["purchases"]?.arrayValue ?? []).compactMap { value in
      guard let entry = value.objectValue, let product = entry["productId"]?.stringValue,
        let since = entry["since"]?.integerValue
      else { return nil }
      return Waiting(
        purchase: PromotedPurchase(
          productId: product,
          offerId: entry["offerId"]?.stringValue
        ),
        since: Date(milliseconds: since)
      )
    }
  }
}
