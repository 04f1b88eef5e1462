public import Foundation

/// How webhooks are sent, and how much of everything there may be.
public struct WebhookLimits: Hashable, Sendable {
  /// The most endpoints of an app.
  public var endpointsMax = 16
  /// The most types that an endpoint may name.
  public var typesMax = 64
  /// The longest note about an endpoint, in UTF-8 bytes.
  public var noteBytesMax = 256
  /// The most secrets that sign at the same time: the newest and those that it replaces.
  public var secretsMax = 3
  /// How long an old secret goes on signing beside a new one unless the caller says, in seconds.
  public var overlapSeconds = 86_400
  /// The longest time that a caller may give, in seconds.
  public var overlapSecondsMax = 7 * 86_400
  /// After so many attempts an event is a dead letter.
  public var attemptsMax = 12
  /// How long before each attempt after the first; the last one is for all further ones.
  ///
  /// With the twelve attempts that are usual the last one is made after about three days.
  public var retrySeconds: [TimeInterval] = [
    5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600,
  ]
  /// By which part a wait is made longer or shorter by chance.
  public var jitter = 0.2
  /// The longest wait that an endpoint may ask for with `Retry-After`, in seconds.
  public var retryAfterSecondsMax: TimeInterval = 86_400
  /// How long an endpoint may take to answer.
  public var timeout = Duration.seconds(15)
  /// How many customers' events are on their way to one endpoint at the same time.
  public var concurrencyMax = 16
  /// How many events are read at a time.
  public var pageMax = 200
  /// How many customers' events one endpoint may hold back; then it gets no new ones until some of
  /// those have arrived or are dead letters.
  public var heldLanesMax = 1000
  /// How long one round of sending may begin new attempts, in seconds.
  public var roundSeconds: TimeInterval = 10
  /// How long recording a round may take, in seconds.
  public var recordingSeconds: TimeInterval = 5
  /// How many of an event's attempts are kept to be looked at.
  public var keptAttemptsMax = 20
  /// How many attempts have to fail, and none to succeed, for an endpoint to be left alone a while.
  public var failuresToPause = 10
  /// The longest time that an endpoint is left alone, in seconds.
  public var pauseSecondsMax: TimeInterval = 300
  /// How long events and deliveries are kept, in seconds: thirty days.
  public var memorySeconds: TimeInterval = 30 * 86_400

  /// The usual limits.
  public init() {}

  /// How long a round may take until its last answer is there, in seconds.
  var sendingSeconds: TimeInterval { roundSeconds + timeout / .seconds(1) }
  /// How long one worker has an endpoint for itself after it was heard of last, in seconds: as long
  /// as its round may take.
  var leaseSeconds: TimeInterval { sendingSeconds + recordingSeconds }

  /// The usual limits.
  public static let standard = WebhookLimits()

  /// The longest body of an answer that is read, in bytes; a longer one is no answer.
  public static let responseBytesMax = 64 * 1024
}
