/// Carries an object that is not Sendable to the main actor, where StoreKit calls it.
// Apple's observers, delegates and requests are not Sendable, yet the framework calls them on the
// main thread after they were handed over on another one. They are only stored or compared
// elsewhere.
struct Crossing<Value>: @unchecked Sendable {
  var value: Value
}

/// A reference that does not keep its object alive.
struct WeakReference {
  weak var object: AnyObject?
}
