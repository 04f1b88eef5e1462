import IAPModel

/// An app's retention messages, as they were sent: kept and given out, and never shown to anybody.
///
/// - **Source:** the server-interface facts, section 5.16.
struct RetentionShelf: Sendable {
  private(set) var images: [(id: String, size: String)] = []
  private(set) var messages: [(id: String, images: [String])] = []
  private(set) var defaults: [String: String] = [:]
  var realtimeURL: String?
  private(set) var performanceTests: [(id: String, target: String)] = []

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

  mutating func addImage(_ id: String, size: String) throws(SimulatorError) {
    guard !images.contains(where: { $0.id == id }) else { throw .refusal(.imageExists) }
    guard images.count < Self.imageCountMax else { throw .refusal(.maxImages) }
    images.append((id, size))
  }

  mutating func removeImage(_ id: String) throws(SimulatorError) {
    guard let place = images.firstIndex(where: { $0.id == id }) else {
      throw .refusal(.imageNotFound)
    }
    guard !messages.contains(where: { $0.images.contains(id) }) else {
      throw .refusal(.imageInUse)
    }
    images.remove(at: place)
  }

  mutating func addMessage(_ id: String, _ body: JSONObject) throws(SimulatorError) {
    let used = try RetentionShelf.images(of: body)
    guard used.allSatisfy({ id in images.contains { $0.id == id } }) else {
      throw .refusal(.imageNotFound)
    }
    guard !messages.contains(where: { $0.id == id }) else { throw .refusal(.messageExists) }
    guard messages.count < Self.messageCountMax else { throw .refusal(.maxMessages) }
    messages.append((id, used))
  }

  mutating func removeMessage(_ id: String) throws(SimulatorError) {
    guard let place = messages.firstIndex(where: { $0.id == id }) else {
      throw .refusal(.messageNotFound)
    }
    messages.remove(at: place)
    defaults = defaults.filter { $0.value != id }
  }

  mutating func setDefault(_ message: String, for key: String) throws(SimulatorError) {
    guard messages.contains(where: { $0.id == message }) else {
      throw .refusal(.messageNotFound)
    }
    defaults[key] = message
  }

  mutating func removeDefault(for key: String) throws(SimulatorError) {
    guard defaults.removeValue(forKey: key) != nil else {
      throw .refusal(.defaultMessageNotFound)
    }
  }

  mutating func addPerformanceTest(_ id: String) throws(SimulatorError) {
    guard let realtimeURL else { throw .refusal(.realtimeURLNotFound) }
    performanceTests.append((id, realtimeURL))
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
