@_exported public import Combine
public import Foundation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { preconditionFailure() }
}

/// A view of the stand-in: it has a type and no contents.
public protocol StubView: View where Body == Never {}

extension StubView {
  public var body: Never { preconditionFailure() }
}

@resultBuilder
public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    TupleView((repeat each content))
  }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> ConditionalContent<First, Second> {
    ConditionalContent()
  }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> ConditionalContent<First, Second> {
    ConditionalContent()
  }
  public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView {
    AnyView(content)
  }
}

extension Optional: View where Wrapped: View {
  public var body: Never { preconditionFailure() }
}

public struct EmptyView: StubView {
  public nonisolated init() {}
}

public struct AnyView: StubView {
  public nonisolated init(_ view: some View) {}
}

public struct TupleView<T>: StubView {
  public nonisolated init(_ value: T) {}
}

public struct ConditionalContent<TrueContent: View, FalseContent: View>: StubView {}

public struct ModifiedContent<Content, Modifier> {}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
  public var body: Never { preconditionFailure() }
}

@MainActor @preconcurrency
public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = ViewModifierContent<Self>
  @ViewBuilder func body(content: Content) -> Body
}

public struct ViewModifierContent<Modifier: ViewModifier>: StubView {}

/// What a modifier of the stand-in returns.
public struct StubModified<Content>: StubView {}

// MARK: State

@propertyWrapper
public struct State<Value> {
  public init(wrappedValue: Value) {}
  public init(initialValue: Value) {}
  public var wrappedValue: Value {
    get { preconditionFailure() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { preconditionFailure() }
}

extension State where Value: ExpressibleByNilLiteral {
  public init() {}
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Binding<Value> {
  @preconcurrency public init(
    get: @escaping @isolated(any) @Sendable () -> Value,
    set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {}
  public var wrappedValue: Value {
    get { preconditionFailure() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
}

@propertyWrapper @MainActor @preconcurrency
public struct ObservedObject<ObjectType: ObservableObject> {
  public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
  public var wrappedValue: ObjectType
}

@propertyWrapper @MainActor @preconcurrency
public struct StateObject<ObjectType: ObservableObject> {
  public nonisolated init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
  public var wrappedValue: ObjectType { preconditionFailure() }
}

@propertyWrapper
public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { preconditionFailure() }
}

public struct EnvironmentValues {
  public var openURL: OpenURLAction { preconditionFailure() }
  public var scenePhase: ScenePhase { preconditionFailure() }
}

@MainActor @preconcurrency
public struct OpenURLAction: Sendable {
  public func callAsFunction(_ url: URL) {}
}

public enum ScenePhase: Comparable {
  case background
  case inactive
  case active
}
