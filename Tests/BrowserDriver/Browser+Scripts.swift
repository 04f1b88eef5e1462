package import IAPModel

// What a test asks the page: by script, because nothing else sees a page as a person does.
//
// Each question is one evaluation in Chromium's own protocol, which is over when it returns. A
// script that the driver keeps waiting for (its asynchronous ones, and the promises around the
// others) never comes to an end on a page that is being left, nor where scripts are off and no
// timer and no promise is served.
extension Browser {
  /// Runs the body of a function on the page, with ``PageScript`` in front.
  ///
  /// - Parameters:
  ///   - body: JavaScript; what it returns comes back, an element as `true`.
  ///   - arguments: Its `arguments`.
  /// - Returns: What it returned.
  @discardableResult
  package func run(
    _ body: String,
    _ arguments: [JSONValue] = []
  ) async throws(BrowserError) -> JSONValue {
    let script = "\(PageScript.text)\n\(body)"
    let given = JSONValue.array(arguments).serializedText
    let answer = try await session.devTools(
      "Runtime.evaluate",
      [
        "expression": .string("(function () {\n\(script)\n}).apply(null, \(given))"),
        "returnByValue": true, "userGesture": true,
      ]
    )
    if let thrown = answer["exceptionDetails"]?.objectValue {
      let text = thrown["exception"]?.objectValue?["description"]?.stringValue
      throw BrowserError(BrowserError.script, text ?? thrown["text"]?.stringValue ?? "")
    }
    return answer["result"]?.objectValue?["value"] ?? .null
  }

  /// Asks a question that changes nothing, again while the page is being left.
  ///
  /// - Parameters:
  ///   - body: JavaScript; what it returns comes back.
  ///   - arguments: Its `arguments`.
  /// - Returns: What it returned.
  func ask(_ body: String, _ arguments: [JSONValue] = []) async throws(BrowserError) -> JSONValue {
    for _ in 0..<Self.asksMax {
      do throws(BrowserError) {
        return try await run(body, arguments)
      } catch {
        guard error.isOfPageLeft else { throw error }
        try await pause()
      }
    }
    return try await run(body, arguments)
  }

  /// How often a question is asked again because the page was being left.
  static let asksMax = 20

  /// Waits until an expression is true, looking at it again and again.
  ///
  /// A page that is left in the meantime is waited for, and asked in its turn. The bound is a
  /// number of looks, each of which takes ``lookMilliseconds`` or longer: a machine that is busy
  /// has more time.
  ///
  /// - Parameters:
  ///   - what: What is waited for, for the error.
  ///   - expression: JavaScript; may use `arguments`.
  ///   - arguments: Its arguments.
  ///   - seconds: How long, at the least, before this gives up.
  ///   - pausing: What is done between two looks, for example loading the page again.
  /// - Returns: The value that was not false; true for an element.
  @discardableResult
  package func wait(
    for what: String,
    _ expression: String,
    _ arguments: [JSONValue] = [],
    seconds: Int = Browser.waitSecondsMax,
    pausing: (() async throws(BrowserError) -> Void)? = nil
  ) async throws(BrowserError) -> JSONValue {
    let body = """
      const found = (\(expression));
      return found instanceof Node ? true : found || null;
      """
    var last: BrowserError?
    for _ in 0..<max(1, seconds * 1000 / Self.lookMilliseconds) {
      do throws(BrowserError) {
        let found = try await run(body, arguments)
        if found != .null { return found }
        last = nil
      } catch {
        guard error.isOfPageLeft else { throw error }
        last = error
      }
      if let pausing { try await pausing() }
      try await pause()
    }
    if let last { throw last }
    let text = try? await run("return document.body.innerText").stringValue
    throw BrowserError(
      BrowserError.timeout,
      "\(what) did not come about in \(seconds) s; the page says: \(text ?? "nothing")"
    )
  }

  /// How long the driver looks in vain for an element before it says so.
  static let lookMilliseconds = 50

  /// Lets the page go on for ``lookMilliseconds``.
  ///
  /// The driver waits: it looks that long for what is never there.
  private func pause() async throws(BrowserError) {
    do throws(BrowserError) {
      try await session.post("/element", ["using": "css selector", "value": "never-there"])
    } catch {
      guard error.code == "no such element" || error.isOfPageLeft else { throw error }
    }
  }

  // MARK: Reading

  /// The text that a person reads on the page, or in the first place that a selector names.
  package func text(of selector: String = "body") async throws(BrowserError) -> String {
    let value = try await ask(
      "const e = document.querySelector(arguments[0]); return e ? e.innerText : null",
      [.string(selector)]
    )
    guard let text = value.stringValue else {
      throw BrowserError(BrowserError.notFound, "nothing is '\(selector)'")
    }
    return text
  }

  /// How many places on the page a selector names.
  package func count(_ selector: String) async throws(BrowserError) -> Int {
    let value = try await ask(
      "return document.querySelectorAll(arguments[0]).length",
      [.string(selector)]
    )
    return Int(value.integerValue ?? 0)
  }

  /// Waits until the page shows a text.
  package func wait(
    forText text: String,
    in selector: String = "body",
    pausing: (() async throws(BrowserError) -> Void)? = nil
  ) async throws(BrowserError) {
    try await wait(
      for: "the text '\(text)' in \(selector)",
      """
      Array.from(document.querySelectorAll(arguments[1]))
        .some(e => e.innerText.includes(arguments[0]))
      """,
      [.string(text), .string(selector)],
      pausing: pausing
    )
  }

  /// Waits until the page does not show a text any more.
  package func wait(
    forNoText text: String,
    in selector: String = "body"
  )
    async throws(BrowserError)
  {
    try await wait(
      for: "no text '\(text)' in \(selector)",
      """
      !Array.from(document.querySelectorAll(arguments[1]))
        .some(e => e.innerText.includes(arguments[0]))
      """,
      [.string(text), .string(selector)]
    )
  }
}
