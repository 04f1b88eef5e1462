package import Foundation
package import IAPModel
import ServerStorage

/// The name with which a person logs in.
package struct OperatorName: Identifier {
  /// The spelling.
  package let rawValue: String
  /// Makes the name from its spelling.
  package init(_ rawValue: String) { self.rawValue = rawValue }

  /// The longest name, in bytes.
  package static let bytesMax = 64

  /// Whether a name can be given: letters, digits and `.-_@`, so that it reads the same in a log.
  package var isUsable: Bool {
    (1...Self.bytesMax).contains(rawValue.utf8.count)
      && rawValue.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
          || ".-_@".unicodeScalars.contains($0)
      }
  }
}

/// A person who works with the dashboard.
package struct OperatorRecord: Hashable, Sendable {
  /// What a person may do.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    /// Look at everything.
    case read
    /// Look, and decide: cases, replays, comparisons.
    case act
  }

  /// The name.
  package var name: OperatorName
  /// What the person may do.
  package var role: Role
  /// The apps whose data the person sees; all when there are none.
  package var apps: [BundleID]
  /// The password, as it is kept.
  package var password: StoredPassword
  /// How often the person was changed: sessions of an earlier time are good no more.
  package var generation: Int64
  /// When the person was added.
  package var createdDate: Date

  /// Whether the person sees an app.
  package func sees(_ app: BundleID) -> Bool { apps.isEmpty || apps.contains(app) }

  static func key(_ name: OperatorName) -> DocumentKey {
    DocumentKey(.dashboardOperator, app: nil, name: name.rawValue)
  }

  func document(_ condition: DocumentWrite.Condition) -> DocumentWrite {
    DocumentWrite(
      Self.key(name),
      shelf: role.rawValue,
      body: [
        "role": .string(role.rawValue), "apps": .array(apps.map { .string($0.rawValue) }),
        "password": .object(password.object), "generation": .integer(generation),
        "created": .integer(createdDate.milliseconds),
      ],
      condition: condition
    )
  }

  init(
    name: OperatorName,
    role: Role,
    apps: [BundleID],
    password: StoredPassword,
    generation: Int64 = 1,
    createdDate: Date
  ) {
    self.name = name
    self.role = role
    self.apps = apps
    self.password = password
    self.generation = generation
    self.createdDate = createdDate
  }

  init(_ document: LedgerDocument) throws(StorageError) {
    let body = document.body
    guard let role = body["role"]?.stringValue.flatMap({ Role(rawValue: $0) }),
      let apps = body["apps"]?.arrayValue?.compactMap(\.stringValue),
      let password = body["password"]?.objectValue.flatMap({ StoredPassword($0) }),
      let generation = body["generation"]?.integerValue,
      let created = body["created"]?.integerValue
    else { throw StorageError(.corrupt, "a document of an operator cannot be read") }
    self.init(
      name: OperatorName(document.key.name),
      role: role,
      apps: apps.map { BundleID($0) },
      password: password,
      generation: generation,
      createdDate: Date(milliseconds: created)
    )
  }
}

extension DocumentKind {
  /// A person who works with the dashboard.
  static let dashboardOperator = Self(rawValue: "dashboardOperator")
  /// Somebody who is logged in, under the hash of what the browser shows.
  static let dashboardSession = Self(rawValue: "dashboardSession")
  /// How often somebody tried to log in under a name.
  static let dashboardTries = Self(rawValue: "dashboardTries")
  /// What an app pays the App Store, for estimates.
  static let dashboardApp = Self(rawValue: "dashboardApp")
}
