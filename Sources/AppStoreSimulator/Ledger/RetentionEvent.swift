public import IAPModel

/// A change of what an app shows to customers who are about to leave.
public enum RetentionEvent: Hashable, Sendable {
  /// An image was uploaded: its identifier and its size, in Apple's word.
  case imageAdded(String, size: String)
  /// An image was removed.
  case imageRemoved(String)
  /// A message was uploaded, as it came.
  case messageAdded(String, JSONObject)
  /// A message was removed.
  case messageRemoved(String)
  /// A message became the default of a product and language.
  case defaultSet(key: String, message: String)
  /// There is no default of a product and language any more.
  case defaultRemoved(key: String)
  /// The address that is asked for a message.
  case realtimeURLSet(String)
  /// No address is asked any more.
  case realtimeURLRemoved
  /// A test of the address was asked for.
  case performanceTestAsked(String)
}
