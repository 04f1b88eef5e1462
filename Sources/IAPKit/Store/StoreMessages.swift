/// Messages of the App Store, held until the app is ready for them.
final class StoreMessages: Sendable {
  private struct State {
    var waiting: [HeldMessage] = []
    /// Where messages are shown; nil while they are held.
    var place: Place?
  }

  private struct Place {
    var anchor: StoreAnchor?
  }

  let arrivals = Broadcast<StoreMessage>()
  private let state = Locked(State())

  var held: [StoreMessage] { state.withLock { $0.waiting.map(\.message) } }

  /// Takes a message: shows it when the app is ready, and keeps it otherwise.
  func take(_ message: HeldMessage) async {
    state.withLock { $0.waiting.append(message) }
    arrivals.send(message.message)
    // What cannot be shown now goes on waiting.
    try? await showWaiting()
  }

  func open(_ anchor: StoreAnchor?) async throws(IAPError) {
    state.withLock { $0.place = Place(anchor: anchor) }
    try await showWaiting()
  }

  func close() { state.withLock { $0.place = nil } }

  private func showWaiting() async throws(IAPError) {
    while let (message, place) = next() {
      do {
        try await MainActor.run { try message.show(place.anchor) }
      } catch {
        state.withLock { $0.waiting.insert(message, at: 0) }
        throw error as? IAPError ?? .unknown
      }
    }
  }

  private func next() -> (HeldMessage, Place)? {
    state.withLock { state in
      guard let place = state.place, !state.waiting.isEmpty else { return nil }
      return (state.waiting.removeFirst(), place)
    }
  }
}
