import IAPModel

/// Where the client keeps what nobody else may read: the keychain, where there is one.
///
/// Everything throws only ``IAPError/storage(_:)``.
package protocol ClientSecrets: Sendable {
  /// The secret of this name; nil when there is none.
  func read(_ name: String) throws(IAPError) -> [UInt8]?
  /// Keeps the secret; nil forgets it.
  func write(_ bytes: [UInt8]?, as name: String) throws(IAPError)
}

/// Secrets as files of their own in the app's folder, for systems without a keychain.
package struct FileSecrets: ClientSecrets {
  private let files: any ClientFiles

  package init(files: any ClientFiles) { self.files = files }

  package func read(_ name: String) throws(IAPError) -> [UInt8]? {
    let bytes = try files.read(name + ".secret")
    return bytes?.isEmpty ?? true ? nil : bytes
  }

  package func write(_ bytes: [UInt8]?, as name: String) throws(IAPError) {
    try files.replace(name + ".secret", with: bytes ?? [])
  }
}

/// Keeps nothing.
struct NoSecrets: ClientSecrets {
  func read(_ name: String) throws(IAPError) -> [UInt8]? { nil }
  func write(_ bytes: [UInt8]?, as name: String) throws(IAPError) {}
}

/// What opens the customer's own data at the server, for the account that it was given to.
///
/// It is a secret: it goes into requests and into ``ClientSecrets``, and nowhere else.
final class CustomerToken: Sendable {
  private static let name = "customer-token"

  private struct State {
    var account: String?
    var token: String?
  }

  private let secrets: any ClientSecrets
  private let log: @Sendable (LogLine) -> Void
  private let state: Locked<State>

  /// Reads what an earlier process was given for this account.
  init(secrets: any ClientSecrets, account: String?, log: @escaping @Sendable (LogLine) -> Void) {
    self.secrets = secrets
    self.log = log
    state = Locked(State(account: account))
    do throws(IAPError) {
      guard let bytes = try secrets.read(Self.name),
        let kept = try? JSONParser.parseObject(bytes),
        kept["account"]?.stringValue == account
      else { return }
      state.withLock { $0.token = kept["token"]?.stringValue }
    } catch {
      log(LogLine(.warning, "secrets cannot be read: \(error)"))
    }
  }

  var value: String? { state.withLock { $0.token } }

  /// Keeps what the server gave; nil forgets what it does not know any more.
  func keep(_ token: String?) {
    state.withLock { state in
      guard token != state.token else { return }
      state.token = token
      write(state)
    }
  }

  /// Forgets what was given to somebody else.
  func change(to account: String?) {
    state.withLock { state in
      guard account != state.account else { return }
      state = State(account: account)
      write(state)
    }
  }

  private func write(_ state: State) {
    var object = JSONObject()
    object["token"] = state.token.map { .string($0) }
    object["account"] = state.account.map { .string($0) }
    do throws(IAPError) {
      try secrets.write(state.token == nil ? nil : object.serialized, as: Self.name)
    } catch {
      log(LogLine(.warning, "secrets cannot be kept: \(error)"))
    }
  }
}
