import SwiftSyntax

/// What all declarations of one type say together.
struct TypeFacts: Sendable {
  let name: String
  var inherited: Set<String> = []
  var attributes: Set<String> = []
  /// class, struct, enum, actor; nil when only extensions were seen.
  var keyword: String?

  var isView: Bool {
    !inherited.isDisjoint(with: [
      "View", "UIViewRepresentable", "UIViewControllerRepresentable", "ViewModifier",
      "ButtonStyle", "Scene",
    ])
  }
  var isViewController: Bool {
    keyword != "actor"
      && (inherited.contains { $0.hasSuffix("ViewController") || Self.screens.contains($0) }
        || name.hasSuffix("ViewController"))
  }
  /// A thing that comes and goes with what is on the screen.
  var isScreen: Bool { isView || isViewController }
  var isApp: Bool { inherited.contains("App") || attributes.contains("main") }
  var isAppDelegate: Bool {
    !inherited.isDisjoint(with: [
      "UIApplicationDelegate", "NSApplicationDelegate", "WKApplicationDelegate",
      "WKExtensionDelegate",
    ]) || attributes.contains("UIApplicationMain")
  }
  var isSceneDelegate: Bool {
    !inherited.isDisjoint(with: ["UIWindowSceneDelegate", "UISceneDelegate"])
  }

  private static let screens: Set = [
    "UIView", "NSView", "UITableViewCell", "UICollectionViewCell", "WKInterfaceController",
  ]
}

extension SyntaxProtocol {
  /// The name of the nearest type or extension around a node.
  var enclosingTypeName: String? {
    for node in ancestors {
      if let name = node.declaredTypeName { return name }
    }
    return nil
  }
}

extension Syntax {
  /// The name, when this declares or extends a type.
  var declaredTypeName: String? {
    if let type = self.as(ClassDeclSyntax.self) { return type.name.text }
    if let type = self.as(StructDeclSyntax.self) { return type.name.text }
    if let type = self.as(EnumDeclSyntax.self) { return type.name.text }
    if let type = self.as(ActorDeclSyntax.self) { return type.name.text }
    if let type = self.as(ProtocolDeclSyntax.self) { return type.name.text }
    if let type = self.as(ExtensionDeclSyntax.self) {
      return type.extendedType.text.split(separator: ".").last.map(String.init)
    }
    return nil
  }
}

/// Gathers the types of a tree.
func typeFacts(of tree: SourceFileSyntax, into types: inout [String: TypeFacts]) {
  func add(
    _ name: String,
    _ keyword: String?,
    _ inheritance: InheritanceClauseSyntax?,
    _ attributes: AttributeListSyntax
  ) {
    var facts = types[name] ?? TypeFacts(name: name)
    facts.keyword = keyword ?? facts.keyword
    for inherited in inheritance?.inheritedTypes ?? [] {
      let type = inherited.type.as(AttributedTypeSyntax.self)?.baseType ?? inherited.type
      if inherited.type.text.contains("@unchecked") { facts.inherited.insert("@unchecked") }
      facts.inherited.insert(type.text.split(separator: ".").last.map(String.init) ?? type.text)
    }
    for case .attribute(let attribute) in attributes {
      facts.attributes.insert(attribute.attributeName.text)
    }
    types[name] = facts
  }
  for type in tree.all(ClassDeclSyntax.self) {
    add(type.name.text, "class", type.inheritanceClause, type.attributes)
  }
  for type in tree.all(StructDeclSyntax.self) {
    add(type.name.text, "struct", type.inheritanceClause, type.attributes)
  }
  for type in tree.all(EnumDeclSyntax.self) {
    add(type.name.text, "enum", type.inheritanceClause, type.attributes)
  }
  for type in tree.all(ActorDeclSyntax.self) {
    add(type.name.text, "actor", type.inheritanceClause, type.attributes)
  }
  for type in tree.all(ExtensionDeclSyntax.self) {
    guard let name = Syntax(type).declaredTypeName else { continue }
    add(name, nil, type.inheritanceClause, type.attributes)
  }
}
