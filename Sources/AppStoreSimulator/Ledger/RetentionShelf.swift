import IAPModel

/// An app's retention messages, as they were sent: kept and given out, and never shown to anybody.
///
/// - **Source:** the server-interface facts, section 5.16.
struct RetentionShelf: Hashable, Sendable {
  /// An image without its bytes.
  struct Image: Hashable, Sendable {
    let id: String
    let size: String
  }

  /// A message with the images that it shows.
  struct Message: Hashable, Sendable {
    let id: String
    let images: [String]
  }

  /// A test of the app's address.
  struct PerformanceTest: Hashable, Sendable {
    let id: String
    let target: String
  }

  private(set) var images: [Image] = []
  private(set) var messages: [Message] = []
  private(set) var defaults: [String: String] = [:]
  private(set) var realtimeURL: String?
  private(set) var performanceTests: [PerformanceTest] = []

  /// The most images.
  static let imageCountMax = 2000
  /// The most messages.
  static let messageCountMax = 2000
  /// The longest header, in characters.
  static let headerLengthMax = 66
  /// The longest body, in characters.
  static let bodyLengthMax = 144
  /// The longest alternative text, in characters.
  static let altTextLengthMax = 150
  /// The most bullet points.
  static let bulletPointCountMax = 5
  /// The longest text of a bullet point, in characters.
  static let bulletPointLengthMax = 66
  /// The longest address, in characters.
  static let urlLengthMax = 256
  /// The biggest image, in bytes.
  static let imageBytesMax = 8 * 1024 * 1024

  /// Whether a change can be made.
  ///
  /// - Throws: ``SimulatorError`` with the refusal of Apple's interface.
  func check(_ event: RetentionEvent) throws(SimulatorError) {
    switch event {
    case .imageAdded(let id, _):
      guard !images.contains(where: { $0.id == id }) else { throw .refusal(.imageExists) }
      guard images.count < Self.imageCountMax else { throw .refusal(.maxImages) }
    case .imageRemoved(let id):
      guard images.contains(where: { $0.id == id }) else { throw .refusal(.imageNotFound) }
      guard !messages.contains(where: { $0.images.contains(id) }) else {
        throw .refusal(.imageInUse)
      }
    case .messageAdded(let id, let body):
      let used = try Self.images(of: body)
      guard used.allSatisfy({ id in images.contains { $0.id == id } }) else {
        throw .refusal(.imageNotFound)
      }
      guard !messages.contains(where: { $0.id == id }) else { throw .refusal(.messageExists) }
      guard messages.count < Self.messageCountMax else { throw .refusal(.maxMessages) }
    case .messageRemoved(let id), .defaultSet(_, let id):
      guard messages.contains(where: { $0.id == id }) else { throw .refusal(.messageNotFound) }
    case .defaultRemoved(let key):
      guard defaults[key] != nil else { throw .refusal(.defaultMessageNotFound) }
    case .realtimeURLSet: break
    case .realtimeURLRemoved, .performanceTestAsked:
      guard realtimeURL != nil else { throw .refusal(.realtimeURLNotFound) }
    }
  }

  /// Makes a change that was checked.
  mutating func apply(_ event: RetentionEvent) {
    switch event {
    case .imageAdded(let id, let size): images.append(Image(id: id, size: size))
    case .imageRemoved(let id): images.removeAll { $0.id == id }
    case .messageAdded(let id, let body):
      messages.append(Message(id: id, images: (try? Self.images(of: body)) ?? []))
    case .messageRemoved(let id):
      messages.removeAll { $0.id == id }
      defaults = defaults.filter { $0.value != id }
    case .defaultSet(let key, let id): defaults[key] = id
    case .defaultRemoved(let key): defaults[key] = nil
    case .realtimeURLSet(let url): realtimeURL = url
    case .realtimeURLRemoved: realtimeURL = nil
    case .performanceTestAsked(let id):
      performanceTests.append(PerformanceTest(id: id, target: realtimeURL ?? ""))
    }
  }

  /// Checks a message and names its images.
  private static func images(of body: JSONObject) throws(SimulatorError) -> [String] {
    guard let header = body["header"]?.stringValue, let text = body["body"]?.stringValue else {
      throw .refusal(.generalBadRequest)
    }
    guard header.count <= headerLengthMax else { throw .refusal(.headerTooLong) }
    guard text.count <= bodyLengthMax else { throw .refusal(.bodyTooLong) }
    var images: [String] = []
    if let image = body["image"]?.objectValue { images.append(try self.image(image)) }
    if body["headerPosition"] == "ABOVE_IMAGE", images.isEmpty {
      throw .refusal(.aboveImageNeedsImage)
    }
    let points = body["bulletPoints"]?.arrayValue ?? []
    guard points.count <= bulletPointCountMax else { throw .refusal(.tooManyBulletPoints) }
    for point in points {
      guard let point = point.objectValue, let text = point["text"]?.stringValue else {
        throw .refusal(.generalBadRequest)
      }
      guard text.count <= bulletPointLengthMax else { throw .refusal(.bulletPointTooLong) }
      images.append(try image(point))
    }
    return images
  }

  private static func image(_ object: JSONObject) throws(SimulatorError) -> String {
    guard let id = object["imageIdentifier"]?.stringValue,
      let text = object["altText"]?.stringValue
    else { throw .refusal(.generalBadRequest) }
    guard text.count <= altTextLengthMax else { throw .refusal(.altTextTooLong) }
    return id.lowercased()
  }
}
