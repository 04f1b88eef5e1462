/// How SwiftUI's subscription store shows the plans of a group.
///
/// Where a system lacks a style, the next plainer one is shown.
public enum SystemStoreStyle: Hashable, Sendable, CaseIterable {
  /// As the system likes.
  case automatic
  /// A button for each plan.
  case buttons
  /// A picker with one button; not on the Apple TV.
  case picker
  /// A picker that catches the eye; iOS and macOS.
  case prominentPicker
  /// A row to choose from; iOS 18, macOS 15 and visionOS 2.
  case compactPicker
  /// A page for each plan; iOS 18, macOS 15 and visionOS 2.
  case pagedPicker
  /// A page for each plan that catches the eye; iOS 18, macOS 15 and visionOS 2.
  case pagedProminentPicker
}

/// How SwiftUI's subscription store puts the plans of a group together.
public enum SystemStoreGrouping: Hashable, Sendable {
  /// All in one list.
  case none
  /// The plans of one length together, in tabs; iOS 18 and its season, before it one list.
  case byPeriodInTabs
  /// The plans of one length together, behind links; iOS 18 and its season, before it one list.
  case byPeriodBehindLinks
}
