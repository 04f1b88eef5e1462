import IAPModel

/// A question to the server about what the user may use, which may be answered after later ones.
struct AccessQuestion: Hashable, Sendable {
  /// Its place in the order of asking, from 1.
  let number: Int
  /// What an answer covers: what had not been answered to when it was asked, without what others
  /// were asking about at that moment.
  let covered: Set<TransactionID>
}

/// The questions that are under way.
struct AccessQuestions: Hashable, Sendable {
  private var count = 0
  private var underWay: [Int: TransactionID] = [:]

  /// Begins a question.
  ///
  /// - Parameters:
  ///   - id: The transaction that is shown; nil for a question about the customer.
  ///   - unanswered: What was not answered to.
  /// - Returns: The question.
  mutating func ask(about id: TransactionID?, _ unanswered: Set<TransactionID>) -> AccessQuestion {
    count += 1
    var covered = unanswered.subtracting(underWay.values)
    if let id {
      underWay[count] = id
      covered.insert(id)
    }
    return AccessQuestion(number: count, covered: covered)
  }

  /// Ends a question, whatever came of it.
  mutating func end(_ question: AccessQuestion) { underWay[question.number] = nil }
}
