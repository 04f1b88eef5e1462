#if canImport(SwiftUI)
import Foundation
public import SwiftUI

/// Links to the app's policies.
public struct PolicyLinksView: View {
  private let links: [PolicyLink]

  /// Makes the links.
  ///
  /// - Parameter links: ``PaywallState/policies``, or ``PolicyLinks/links(_:)``.
  public init(links: [PolicyLink]) { self.links = links }

  /// One link a line.
  public var body: some View {
    VStack(alignment: .leading, spacing: 12) {
      ForEach(links) { link in Link(link.title, destination: link.url) }
    }
    .font(.footnote)
  }
}
#endif
