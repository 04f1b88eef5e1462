import Foundation
import Glibc

/// The compiler's own record of which symbols a build used and where, read through the toolchain's
/// `libIndexStore`.
///
/// The functions are found by name at run time, so that the package needs no header of the library.
final class IndexStore {
  /// One explicit use of a symbol.
  struct Use: Hashable {
    let file: String
    let line: Int
    /// Counted in UTF-8 bytes, from one.
    let column: Int
    /// The compiler's name of the symbol, unique in the whole world.
    let usr: String
    let name: String
  }

  private typealias Text = iovec
  private typealias Handle = UnsafeMutableRawPointer
  private typealias Applier = @convention(c) (Handle?, Handle?) -> Bool
  private typealias TextApplier = @convention(c) (Handle?, Text) -> Bool
  private typealias Create =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>?)
    -> Handle?
  private typealias Open =
    @convention(c) (
      Handle, UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>?
    ) -> Handle?
  private typealias Dispose = @convention(c) (Handle) -> Void
  private typealias GetText = @convention(c) (Handle) -> Text

  private let library: Handle
  private let store: Handle

  /// Opens the store that a build left.
  ///
  /// - Parameters:
  ///   - path: The folder with `v5` in it.
  ///   - library: The file of `libIndexStore`.
  init?(path: String, library: String) {
    guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL),
      let symbol = dlsym(handle, "indexstore_store_create"),
      let store = unsafeBitCast(symbol, to: Create.self)(path, nil)
    else { return nil }
    self.library = handle
    self.store = store
  }

  private func function<Function>(_ name: String, _ type: Function.Type) -> Function {
    guard let symbol = dlsym(library, name) else {
      preconditionFailure("libIndexStore has no function \(name)")
    }
    return unsafeBitCast(symbol, to: type)
  }

  private static func string(_ text: Text) -> String {
    guard let base = text.iov_base else { return "" }
    return String(
      decoding: UnsafeRawBufferPointer(start: base, count: text.iov_len),
      as: UTF8.self
    )
  }

  /// Every explicit use of a symbol in the sources of some modules, as they are on disk.
  func uses(inModules modules: Set<String>) -> [Use] {
    var found: [Use] = []
    for unit in unitNames() {
      guard let reader = open("indexstore_unit_reader_create", unit) else { continue }
      defer { function("indexstore_unit_reader_dispose", Dispose.self)(reader) }
      let module = Self.string(
        function("indexstore_unit_reader_get_module_name", GetText.self)(reader)
      )
      let file = Self.string(function("indexstore_unit_reader_get_main_file", GetText.self)(reader))
      // A unit stays behind when its source was renamed or removed.
      guard modules.contains(module), file.hasSuffix(".swift"),
        FileManager.default.fileExists(atPath: file)
      else { continue }
      for record in recordNames(of: reader, file: file) {
        found += uses(inRecord: record, file: file)
      }
    }
    return found
  }

  private func open(_ name: String, _ argument: String) -> Handle? {
    function(name, Open.self)(store, argument, nil)
  }

  private func unitNames() -> [String] {
    typealias Apply = @convention(c) (Handle, UInt32, Handle?, TextApplier) -> Bool
    let names = Collected<String>()
    _ = function("indexstore_store_units_apply_f", Apply.self)(store, 1, names.pointer) {
      context,
      text in
      Collected<String>.from(context).values.append(IndexStore.string(text))
      return true
    }
    return names.values
  }

  private func recordNames(of unit: Handle, file: String) -> [String] {
    typealias Apply = @convention(c) (Handle, Handle?, Applier) -> Bool
    typealias Kind = @convention(c) (Handle) -> Int32
    let dependencies = Collected<(kind: Int32, path: String, name: String)>()
    dependencies.kind = function("indexstore_unit_dependency_get_kind", Kind.self)
    dependencies.path = function("indexstore_unit_dependency_get_filepath", GetText.self)
    dependencies.name = function("indexstore_unit_dependency_get_name", GetText.self)
    _ = function("indexstore_unit_reader_dependencies_apply_f", Apply.self)(
      unit,
      dependencies.pointer
    ) { context, dependency in
      let collected = Collected<(kind: Int32, path: String, name: String)>.from(context)
      if let dependency, let kind = collected.kind, let path = collected.path,
        let name = collected.name
      {
        collected.values.append(
          (
            kind(dependency), IndexStore.string(path(dependency)),
            IndexStore.string(name(dependency))
          )
        )
      }
      return true
    }
    return dependencies.values.filter { $0.kind == 2 && $0.path == file }.map(\.name)
  }

  private func uses(inRecord record: String, file: String) -> [Use] {
    typealias Apply = @convention(c) (Handle, Handle?, Applier) -> Bool
    guard let reader = open("indexstore_record_reader_create", record) else { return [] }
    defer { function("indexstore_record_reader_dispose", Dispose.self)(reader) }
    let uses = Collected<Use>()
    uses.file = file
    uses.symbol = function("indexstore_occurrence_get_symbol", Collected<Use>.GetSymbol.self)
    uses.roles = function("indexstore_occurrence_get_roles", Collected<Use>.GetRoles.self)
    uses.place = function("indexstore_occurrence_get_line_col", Collected<Use>.GetPlace.self)
    uses.usr = function("indexstore_symbol_get_usr", GetText.self)
    uses.name = function("indexstore_symbol_get_name", GetText.self)
    _ = function("indexstore_record_reader_occurrences_apply_f", Apply.self)(reader, uses.pointer) {
      context,
      occurrence in
      let collected = Collected<Use>.from(context)
      if let occurrence, let use = collected.explicitUse(occurrence) {
        collected.values.append(use)
      }
      return true
    }
    return uses.values
  }

  /// What a callback of the library needs: it cannot capture anything.
  private final class Collected<Value> {
    typealias GetSymbol = @convention(c) (Handle) -> Handle
    typealias GetRoles = @convention(c) (Handle) -> UInt64
    typealias GetPlace =
      @convention(c) (
        Handle, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>
      ) -> Void

    var values: [Value] = []
    var file = ""
    var kind: (@convention(c) (Handle) -> Int32)?
    var path: GetText?
    var name: GetText?
    var usr: GetText?
    var symbol: GetSymbol?
    var roles: GetRoles?
    var place: GetPlace?

    var pointer: Handle { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ pointer: Handle?) -> Collected<Value> {
      guard let pointer else { preconditionFailure("the library lost the context") }
      return Unmanaged<Collected<Value>>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// A use that is written in the source; what the compiler adds by itself it adds elsewhere
    /// according to the target's systems.
    func explicitUse(_ occurrence: Handle) -> Use? {
      let isReference: UInt64 = 1 << 2
      let isImplicit: UInt64 = 1 << 8
      guard let symbol, let roles, let place, let usr, let name else { return nil }
      let role = roles(occurrence)
      guard role & isReference != 0, role & isImplicit == 0 else { return nil }
      var line: UInt32 = 0
      var column: UInt32 = 0
      place(occurrence, &line, &column)
      let used = symbol(occurrence)
      return Use(
        file: file,
        line: Int(line),
        column: Int(column),
        usr: IndexStore.string(usr(used)),
        name: IndexStore.string(name(used))
      )
    }
  }
}
