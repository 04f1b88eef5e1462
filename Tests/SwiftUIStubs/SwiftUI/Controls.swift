public import Foundation

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {}
}

public struct Text: StubView {
  @_disfavoredOverload public init<S: StringProtocol>(_ content: S) {}
  public init(_ key: LocalizedStringKey) {}
  public func font(_ font: Font?) -> Text { self }
}

public struct Image: StubView {
  public init(systemName: String) {}
}

public struct Spacer: StubView {
  public nonisolated init(minLength: CGFloat? = nil) {}
}

public struct Divider: StubView {
  public nonisolated init() {}
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: StubView {}

extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
  public nonisolated init() {}
}

public struct Button<Label: View>: StubView {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

extension Button where Label == Text {
  @_disfavoredOverload public init<S: StringProtocol>(
    _ title: S,
    action: @escaping @MainActor () -> Void
  ) {}
  public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}

public struct Link<Label: View>: StubView {}

extension Link where Label == Text {
  @_disfavoredOverload public init<S: StringProtocol>(_ title: S, destination: URL) {}
  public init(_ titleKey: LocalizedStringKey, destination: URL) {}
}

public struct ScrollView<Content: View>: StubView {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct VStack<Content: View>: StubView {
  public nonisolated init(
    alignment: HorizontalAlignment = .center,
    spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) {}
}

public struct HStack<Content: View>: StubView {
  public nonisolated init(
    alignment: VerticalAlignment = .center,
    spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) {}
}

public struct Group<Content> {}

extension Group: View where Content: View {
  public var body: Never { preconditionFailure() }
  public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct List<SelectionValue: Hashable, Content: View>: StubView {}

extension List where SelectionValue == Never {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct Section<Parent, Content, Footer> {}

extension Section: View where Parent: View, Content: View, Footer: View {
  public var body: Never { preconditionFailure() }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
  @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
  @_disfavoredOverload public init<S: StringProtocol>(
    _ title: S,
    @ViewBuilder content: () -> Content
  ) {}
}

extension Section where Parent: View, Content: View, Footer == EmptyView {
  public init(header: Parent, @ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  public var data: Data
}

extension ForEach: View where Content: View {
  public var body: Never { preconditionFailure() }
  public nonisolated init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) { self.data = data }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  public nonisolated init(
    _ data: Data,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) { self.data = data }
}

public struct NavigationView<Content: View>: StubView {
  public init(@ViewBuilder content: () -> Content) {}
}

public struct NavigationLink<Label: View, Destination: View>: StubView {}

extension NavigationLink where Label == Text {
  @_disfavoredOverload public init<S: StringProtocol>(_ title: S, destination: Destination) {}
  public init(_ titleKey: LocalizedStringKey, destination: Destination) {}
}

public enum HorizontalAlignment {
  case leading
  case center
  case trailing
}

public enum VerticalAlignment {
  case top
  case center
  case bottom
  case firstTextBaseline
}

public struct Font: Hashable, Sendable {
  public enum TextStyle: Sendable {
    case largeTitle
    case title
    case headline
    case body
    case footnote
  }
  public enum Design: Sendable {
    case `default`
    case monospaced
  }
  public static let largeTitle = Font()
  public static let title = Font()
  public static let title2 = Font()
  public static let title3 = Font()
  public static let headline = Font()
  public static let body = Font()
  public static let footnote = Font()
  public static func system(_ style: TextStyle, design: Design = .default) -> Font { Font() }
}

public struct AccessibilityChildBehavior: Hashable, Sendable {
  public static let ignore = AccessibilityChildBehavior()
  public static let combine = AccessibilityChildBehavior()
}

public struct Edge {
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let all = Set(rawValue: 15)
    public static let horizontal = Set(rawValue: 10)
  }
}

public enum Visibility: Hashable, CaseIterable, Sendable {
  case automatic
  case visible
  case hidden
}

extension View {
  public nonisolated func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> {
    ModifiedContent()
  }
  public nonisolated func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
    StubModified<Self>()
  }
  public nonisolated func font(_ font: Font?) -> some View { StubModified<Self>() }
  public nonisolated func disabled(_ disabled: Bool) -> some View { StubModified<Self>() }
  public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View {
    StubModified<Self>()
  }
  public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    StubModified<Self>()
  }
  public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
    StubModified<Self>()
  }
  public nonisolated func onChange<V: Equatable>(
    of value: V,
    perform action: @escaping (V) -> Void
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func accessibilityElement(
    children: AccessibilityChildBehavior = .ignore
  ) -> some View {
    StubModified<Self>()
  }
  public nonisolated func sheet<Content: View>(
    isPresented: Binding<Bool>,
    onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View {
    StubModified<Self>()
  }
}
