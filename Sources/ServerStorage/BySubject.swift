/// Values of purchases, for the few that one write is about.
///
/// Names of purchases are three texts, which take long to hash: a handful is found by comparing. A
/// receipt may be about hundreds, and then places are looked up.
struct BySubject<Value: Sendable>: Sendable {
  private static var comparedMax: Int { 8 }

  private var entries: [(subject: LedgerSubject, value: Value)] = []
  /// The place of each, when there are more than can be compared.
  private var places: [LedgerSubject: Int] = [:]

  subscript(subject: LedgerSubject) -> Value? {
    get { place(of: subject).map { entries[$0].value } }
    set {
      guard let newValue else { preconditionFailure("a value stays") }
      if let place = place(of: subject) {
        entries[place].value = newValue
      } else {
        add(newValue, subject)
      }
    }
  }

  subscript(subject: LedgerSubject, default empty: Value) -> Value {
    get { self[subject] ?? empty }
    _modify {
      let place = place(of: subject) ?? add(empty, subject)
      yield &entries[place].value
    }
  }

  private func place(of subject: LedgerSubject) -> Int? {
    places.isEmpty ? entries.firstIndex { $0.subject == subject } : places[subject]
  }

  @discardableResult
  private mutating func add(_ value: Value, _ subject: LedgerSubject) -> Int {
    entries.append((subject, value))
    if !places.isEmpty {
      places[subject] = entries.count - 1
    } else if entries.count > Self.comparedMax {
      for (place, entry) in entries.enumerated() { places[entry.subject] = place }
    }
    return entries.count - 1
  }
}
