import HTTPValues
import IAPModel

/// One thing that the server can be asked, as data: the router, the documentation and the tests all
/// read the same table.
struct Route: Sendable {
  /// Who may call.
  enum Access: String, Hashable, Sendable, CaseIterable {
    /// Everybody who reaches the server.
    case open
    /// The App Store: what it sends is signed.
    case apple
    /// An app or its backend: any key.
    case app
    /// A customer, named by its token, beside any key.
    case customer
    /// The app's backend: a secret key.
    case backend
  }

  /// What body it takes.
  enum Body: Hashable, Sendable {
    /// None; what is sent is not looked at.
    case none
    /// A JSON object.
    case object(Shape)
    /// A JSON object that is as long as a notification may be.
    case notification(Shape)
    /// What is documented as a JSON object, and is looked at by the route alone: it has words of
    /// its own for what is wrong.
    case unchecked(Shape)

    var shape: Shape? {
      switch self {
      case .none: nil
      case .object(let shape), .notification(let shape), .unchecked(let shape): shape
      }
    }
  }

  /// What an `Idempotency-Key` does.
  enum Repetition: Hashable, Sendable {
    /// Reading changes nothing.
    case reads
    /// The answer follows from the state: it is computed anew, and the parameters are compared.
    case natural
    /// The first answer is kept and given again.
    case replayed
  }

  /// A parameter in the query or a header.
  struct Parameter: Hashable, Sendable {
    enum Place: String, Hashable, Sendable {
      case query, header
    }

    let name: String
    let place: Place
    let shape: Shape
    let note: String
  }

  typealias Run = @Sendable (Call) async throws(ServerError) -> Reply

  let method: HTTPMethod
  /// The path; a part in braces is a parameter.
  let path: String
  /// One line that says what it is for.
  let summary: String
  let access: Access
  let body: Body
  let parameters: [Parameter]
  /// What a success looks like, by status.
  let answers: [Answer]
  /// The statuses of errors that it may answer with, beside those that every route has.
  let errors: [Int]
  let repetition: Repetition
  let run: Run

  struct Answer: Hashable, Sendable {
    let status: Int
    let shape: Shape?
    let mediaType: String
    /// Another form of the same, as text.
    let alternative: String?

    init(
      _ status: Int,
      _ shape: Shape?,
      mediaType: String = "application/json",
      alternative: String? = nil
    ) {
      self.status = status
      self.shape = shape
      self.mediaType = mediaType
      self.alternative = alternative
    }
  }

  init(
    _ method: HTTPMethod,
    _ path: String,
    _ summary: String,
    access: Access,
    body: Body = .none,
    parameters: [Parameter] = [],
    answers: [Answer],
    errors: [Int] = [],
    repetition: Repetition = .reads,
    run: @escaping Run
  ) {
    precondition(
      (repetition == .reads) == (method == .get),
      "what reads is a GET, and everything else says what a repetition does"
    )
    self.method = method
    self.path = path
    self.summary = summary
    self.access = access
    self.body = body
    self.parameters = parameters
    self.answers = answers
    self.errors = errors
    self.repetition = repetition
    self.run = run
  }

  /// The parts of the path.
  var segments: [Substring] { path.split(separator: "/") }

  /// The names of the parameters in the path.
  var pathParameters: [String] {
    segments.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
  }

  /// The methods that it answers; what can be read can be read without its body.
  var methods: [HTTPMethod] { method == .get ? [.get, .head] : [method] }
}

extension Route.Parameter {
  /// The app, where a server works for several and no key says which.
  static let app = Route.Parameter(
    name: "app",
    place: .query,
    shape: .text(max: 256),
    note: "The bundle identifier; needed when the server works for several apps without keys."
  )
  /// The environment.
  static let environment = Route.Parameter(
    name: "environment",
    place: .query,
    shape: .text(max: 64),
    note: "Production or Sandbox; real money unless it is given."
  )
  /// The place behind which a list goes on.
  static let after = Route.Parameter(
    name: "after",
    place: .query,
    shape: .integer(0...Int64.max),
    note: "Goes on behind this place: the `next` of the answer before."
  )
  /// How many elements a list may have.
  static let limit = Route.Parameter(
    name: "limit",
    place: .query,
    shape: .integer(1...1000),
    note: "How many at most; 100 unless it is given."
  )

  static func header(_ name: String, _ note: String) -> Route.Parameter {
    Route.Parameter(name: name, place: .header, shape: .text(max: 1024), note: note)
  }
}
