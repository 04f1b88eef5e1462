/// One thing that happens in a run; devices, customers and servers are indices into the cast.
package enum RunAction: Hashable, Sendable {
  /// Somebody taps "buy" and does this at the sheet.
  case tap(device: Int, product: Int, quantity: Int, answer: TapAnswer, isDoubled: Bool)
  /// Somebody closes the sheet that was left open.
  case closeSheet(device: Int, pays: Bool)
  /// A parent answers the question at this place of those that wait.
  case parent(place: Double, approves: Bool)
  /// Purchases on a device are interrupted from now on, or no longer.
  case interrupting(device: Int, Bool)
  /// Somebody settles what had interrupted purchases.
  case settle(device: Int)
  /// The store pays a purchase back.
  case refund(place: Double)
  /// The store takes a refund back.
  case reverse(place: Double)
  /// Somebody taps "restore".
  case restore(device: Int)
  /// Somebody opens the app.
  case launch(device: Int)
  /// The system kills the app now.
  case kill(device: Int)
  /// The app dies at the n-th passing of a place.
  case killAt(device: Int, KillPlace, occurrence: Int)
  /// Somebody has the first order looked at again that was set aside.
  case lookAgain(device: Int)
  /// The app is updated: killed, and launched as another version.
  case update(device: Int, usesStoreKit1: Bool)
  /// Somebody leaves the app.
  case background(device: Int)
  /// Somebody comes back to it.
  case foreground(device: Int)
  /// A device has no network from now on, or has it again.
  case offline(device: Int, Bool)
  /// The ways to the servers.
  case weather(Weather)
  /// Apple's servers cannot be reached, or can again.
  case outage(Bool)
  /// What happens to notifications.
  case notifications(NotificationTrouble)
  /// What devices get is signed wrongly, or rightly again.
  case spoiledSignatures(Bool)
  /// A device's disk.
  case disk(device: Int, DiskTrouble)
  /// A server dies.
  case killServer(Int)
  /// A server starts.
  case startServer(Int)
  /// What stands before the servers.
  case gateway(GatewayMood)
  /// The servers' disk is full, or has room again.
  case serverDisk(isFull: Bool)
  /// A device's clock is set.
  case clock(device: Int, seconds: Double)
  /// Another user signs in to the app.
  case signIn(device: Int, user: Int)
  /// Somebody joins or leaves the family.
  case family(customer: Int, joins: Bool)
  /// Whether a customer can be charged.
  case payment(customer: Int, works: Bool)
  /// A subscriber switches the renewal.
  case autoRenew(place: Double, Bool)
}

/// What the person does at a payment sheet.
package enum TapAnswer: String, Hashable, Sendable, CaseIterable {
  /// Pays.
  case pays
  /// Closes it.
  case cancels
  /// Leaves it open.
  case leavesOpen
  /// Asks a parent.
  case asksParent
}

/// A place at which an app can die.
package enum KillPlace: String, Hashable, Sendable, CaseIterable {
  /// Before any action of the funnel.
  case funnel
  /// Before an action of the funnel that this telephone never came to.
  case newFunnelAction
  /// Between a write and its flush.
  case beforeFlush
  /// After a flush.
  case afterFlush
  /// Before the store sells.
  case beforePurchase
  /// After the store has sold.
  case afterPurchase
  /// Before the store hears that a transaction is finished.
  case beforeFinish
  /// After that.
  case afterFinish
  /// Before an update arrives.
  case beforeUpdate
  /// Before a request leaves.
  case beforeRequest
  /// After an answer has come.
  case afterResponse
  /// Before the app's handler is called.
  case beforeDelivery
  /// After the goods are on the shelf.
  case afterDelivery
}

/// What happens to notifications on their way.
package enum NotificationTrouble: String, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case none
  /// Each is sent twice.
  case doubled
  /// The newest come first.
  case reordered
  /// Their answers get lost.
  case answersLost
  /// They are not sent.
  case unsent
}

/// What is wrong with a disk.
package enum DiskTrouble: String, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case none
  /// It has hardly any room left.
  case full
  /// It takes no writes.
  case readOnly
  /// A part of what was not flushed survives a kill.
  case torn
}
