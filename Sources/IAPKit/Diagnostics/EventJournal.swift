import Foundation
import IAPModel

/// Is told what the delivery funnel decides and does, in the order in which that happens.
package protocol DeliveryWitness: Sendable {
  /// A decision about a transaction, before it is carried out; without an event, that the one
  /// before could not be saved and so did not happen.
  func note(
    _ id: TransactionID,
    _ before: TransactionRecord?,
    _ event: DeliveryEvent?,
    _ context: DeliveryContext
  )
  /// What everybody is told.
  func note(_ event: FunnelEvent)
}

/// Keeps what happened across launches, within bounds.
///
/// It is a help for support and never in anybody's way: it writes behind the events, and a full
/// disk costs its lines and nothing else. A kill costs what was told since the last writing;
/// trouble is written before anybody hears of it.
final class EventJournal: DeliveryWitness {
  static let fileName = "events.log"
  /// The most events that are kept; then the older half is let go.
  static let eventsMax = 2000
  /// The most bytes that are kept; then the older half of the events is let go.
  static let bytesMax = 2 * 1024 * 1024

  /// An event that is not on the disk yet, and its line once it was made: a disk that takes nothing
  /// for a long time is tried with each event, and no try makes all lines anew.
  private struct Waiting {
    let event: DiagnosticEvent
    var line: [UInt8]?
  }

  private struct State {
    /// Whether the beginning of this process was noted.
    var isBegun = false
    var waiting: [Waiting] = []
    /// How many lines were made of events.
    var madeCount = 0
    /// How many lines and bytes are on the disk; nil before they were read.
    var written: (lines: Int, bytes: Int)?
    /// The transactions whose record this process has written down.
    var described: Set<TransactionID> = []
  }

  private let files: any ClientFiles
  private let now: @Sendable () -> Date
  private let launch: @Sendable () -> Int
  /// What is to be known of this process.
  private let details: [String: String]
  private let state = Locked(State())
  private let arrivals = Broadcast<DiagnosticEvent>()
  /// Keeps writers apart, so that nobody waits for the disk who only notes an event.
  private let writing = Locked(())

  init(
    files: any ClientFiles,
    now: @escaping @Sendable () -> Date,
    launch: @escaping @Sendable () -> Int,
    details: [String: String] = [:]
  ) {
    self.files = files
    self.now = now
    self.launch = launch
    self.details = details
  }

  // MARK: Noting

  func note(
    _ id: TransactionID,
    _ before: TransactionRecord?,
    _ event: DeliveryEvent?,
    _ context: DeliveryContext
  ) {
    var step = TracedStep(before: before, event: event, context: context)
    let launch = launch()
    add { state in
      if !state.described.insert(id).inserted { step.before = nil }
      return DiagnosticEvent(id, before, step, at: context.now, launch: launch)
    }
  }

  func note(_ event: FunnelEvent) {
    if let noted = DiagnosticEvent(event, at: now(), launch: launch()) { add { _ in noted } }
    if event.isTrouble { flush() }
  }

  func note(_ call: NamedCall) {
    let event = DiagnosticEvent(call, at: now(), launch: launch())
    add { _ in event }
  }

  private func add(_ make: (inout State) -> DiagnosticEvent) {
    state.withLock { state in
      let event = make(&state)
      if !state.isBegun {
        state.isBegun = true
        var launched = DiagnosticEvent(date: event.date, launch: event.launch, name: .launched)
        launched.details = details
        state.waiting.append(Waiting(event: launched))
        arrivals.send(launched)
      }
      state.waiting.append(Waiting(event: event))
      arrivals.send(event)
      if state.waiting.count > Self.eventsMax { state.waiting.removeFirst() }
    }
  }

  // MARK: Keeping

  /// Everything that is kept, oldest first.
  func events() -> [DiagnosticEvent] {
    flush()
    return writing.withLock { _ in
      decoded() + state.withLock { $0.waiting.map(\.event) }
    }
  }

  /// What happens from now on.
  ///
  /// - Parameter replaying: Whether it begins with what happened since this launch, as far as it is
  ///   kept.
  /// - Returns: A stream of its own.
  func stream(replaying: Bool) -> AsyncStream<DiagnosticEvent> {
    let launch = launch()
    return writing.withLock { _ in
      let written = replaying ? decoded() : []
      // Sent under this lock: nothing is missed or told twice between the two.
      return state.withLock { state in
        let known = replaying ? written + state.waiting.map(\.event) : []
        return arrivals.stream(after: known.filter { $0.launch == launch })
      }
    }
  }

  private func decoded() -> [DiagnosticEvent] {
    read().compactMap { RecordCoding.decode(DiagnosticEvent.self, Array($0)) }
  }

  /// Writes what waits; what cannot be written waits on, within the bound.
  func flush() {
    writing.withLock { _ in
      let made = state.withLock { Self.lines(&$0) }
      guard !made.isEmpty else { return }
      let (lines, bytes) = measure()
      // What cannot be written as a line has none.
      let new = made.filter { !$0.isEmpty }
      let size = new.reduce(0) { $0 + $1.count }
      guard lines + new.count > Self.eventsMax || bytes + size > Self.bytesMax else {
        guard (try? files.append(Array(new.joined()), to: Self.fileName, at: bytes)) != nil
        else { return }
        return settle(made.count, (lines + new.count, bytes + size), isCut: false)
      }
      let old = read().map { Array($0) + [UInt8(ascii: "\n")] }
      let kept = (old + new).suffix(Self.eventsMax / 2)
      let all = Array(kept.joined())
      guard (try? files.replace(Self.fileName, with: all)) != nil else { return }
      settle(made.count, (kept.count, all.count), isCut: true)
    }
  }

  /// The lines of what waits, each made once.
  private static func lines(_ state: inout State) -> [[UInt8]] {
    state.waiting.indices.map { index in
      if let line = state.waiting[index].line { return line }
      let event = state.waiting[index].event
      let line = (try? LineEncoder.line(event)).map { $0.json + [UInt8(ascii: "\n")] } ?? []
      state.waiting[index].line = line
      state.madeCount += 1
      return line
    }
  }

  /// How many lines were made of events so far.
  var madeCount: Int { state.withLock { $0.madeCount } }

  private func settle(_ count: Int, _ written: (lines: Int, bytes: Int), isCut: Bool) {
    state.withLock { state in
      state.waiting.removeFirst(min(count, state.waiting.count))
      state.written = written
      // What was written down about a transaction may be gone: it is written anew.
      if isCut { state.described = [] }
    }
  }

  /// The lines on the disk; a torn one at the end is let go.
  private func read() -> [ArraySlice<UInt8>] {
    let content = ((try? files.read(Self.fileName)) ?? nil) ?? []
    let end = content.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return content[..<end].split(separator: UInt8(ascii: "\n"))
  }

  private func measure() -> (lines: Int, bytes: Int) {
    if let written = state.withLock({ $0.written }) { return written }
    let lines = read()
    let written = (lines: lines.count, bytes: lines.reduce(0) { $0 + $1.count + 1 })
    state.withLock { $0.written = written }
    return written
  }
}

extension EventJournal {
  /// Makes the one of a manager.
  convenience init(
    _ configuration: IAPConfiguration,
    _ world: IAPWorld,
    _ store: TransactionStore,
    _ generation: StoreGeneration
  ) {
    self.init(
      files: world.files,
      now: world.now,
      launch: { store.launch },
      details: [
        "generation": generation.rawValue,
        "environment": configuration.isSandbox ? "sandbox" : "production",
      ]
    )
    if world.keepsEvents { world.calls?.tell { [weak self] in self?.note($0) } }
  }
}

extension FunnelEvent {
  /// Whether it is what support is asked about: worth a writing of its own.
  fileprivate var isTrouble: Bool {
    switch self {
    case .held, .rejected, .quarantined, .purchaseFailed, .storageFailed, .journalRepaired: true
    case .restoreEnded(let error): error != nil
    case .order(let order): order.state == .failed
    case .ready, .saved, .accepted, .retryScheduled, .finished: false
    }
  }
}
