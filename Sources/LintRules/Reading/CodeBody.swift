import SwiftSyntax

/// A piece of code that runs as a whole: a function, an initialiser, a property's value.
struct CodeBody: Sendable {
  enum Kind: Sendable {
    case function
    case initializer
    case deinitializer
    /// The accessors of a property.
    case accessors
    /// The value that a property begins with.
    case value
    /// Code outside every declaration, as in main.swift.
    case script
  }

  let kind: Kind
  /// The function's or property's name; `init`, `deinit`, or empty for a script.
  let name: String
  let typeName: String?
  /// The declaration.
  let declaration: Syntax
  /// What runs.
  let code: Syntax
  /// The number of its file.
  let unit: Int
  /// Every name in it.
  let names: Set<String>

  /// Finds the bodies of a file.
  static func all(in tree: SourceFileSyntax, unit: Int) -> [CodeBody] {
    var found: [CodeBody] = []
    func add(_ kind: Kind, _ name: String, _ declaration: some SyntaxProtocol, _ code: Syntax?) {
      guard let code else { return }
      found.append(
        CodeBody(
          kind: kind,
          name: name,
          typeName: declaration.enclosingTypeName,
          declaration: Syntax(declaration),
          code: code,
          unit: unit,
          names: code.names
        )
      )
    }
    for function in tree.all(FunctionDeclSyntax.self) {
      add(.function, function.name.text, function, function.body.map(Syntax.init))
    }
    for maker in tree.all(InitializerDeclSyntax.self) {
      add(.initializer, "init", maker, maker.body.map(Syntax.init))
    }
    for end in tree.all(DeinitializerDeclSyntax.self) {
      add(.deinitializer, "deinit", end, end.body.map(Syntax.init))
    }
    for variable in tree.all(VariableDeclSyntax.self) {
      let isMember = variable.parent?.is(MemberBlockItemSyntax.self) == true
      let isGlobal = variable.parent?.parent?.parent?.is(SourceFileSyntax.self) == true
      guard isMember || isGlobal else { continue }
      for binding in variable.bindings {
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text ?? ""
        add(.accessors, name, variable, binding.accessorBlock.map(Syntax.init))
        add(.value, name, variable, binding.initializer.map(Syntax.init))
      }
    }
    for item in tree.statements where !item.item.is(DeclSyntax.self) {
      add(.script, "", item, Syntax(item))
    }
    return found
  }
}
