import IAPEntitlements
package import IAPModel

/// What a write looks at and changes, as far as that stands before it is worked in.
///
/// A backend with several writers reads these rows for a whole batch at once, and locks the apps:
/// whatever the engine does for a write stays within them.
package struct WriteFootprint: Sendable {
  /// A fact's place.
  package struct Place: Hashable, Sendable {
    package let scope: LedgerScope
    package let key: FactKey

    package init(scope: LedgerScope, key: FactKey) {
      self.scope = scope
      self.key = key
    }
  }

  /// A token of an app.
  package struct Token: Hashable, Sendable {
    package let app: BundleID
    package let token: AppAccountToken

    package init(app: BundleID, token: AppAccountToken) {
      self.app = app
      self.token = token
    }
  }

  /// A unit that is claimed.
  package struct Claim: Hashable, Sendable {
    package let scope: LedgerScope
    package let unit: UnitID

    package init(scope: LedgerScope, unit: UnitID) {
      self.scope = scope
      self.unit = unit
    }
  }

  /// The apps; nil stands for what belongs to the server as a whole.
  package private(set) var apps: Set<BundleID?> = []
  package private(set) var facts: Set<Place> = []
  package private(set) var subjects: Set<LedgerSubject> = []
  package private(set) var tokens: Set<Token> = []
  package private(set) var claims: Set<Claim> = []
  package private(set) var documents: Set<DocumentKey> = []

  /// The footprint of some writes.
  package init(_ writes: [PreparedWrite]) {
    for write in writes {
      for fact in write.facts { add(fact) }
      add(write.write)
    }
    addEvents()
  }

  /// What filing events looks at.
  private mutating func addEvents() {
    for subject in subjects {
      documents.insert(EventCounter.key(subject.scope.app))
      documents.insert(EventCounter.key(subject.scope.app, .purchase(subject)))
      documents.insert(EventWatch.key(subject))
    }
  }

  private mutating func add(_ fact: PreparedWrite.Fact) {
    apps.insert(fact.record.scope.app)
    facts.insert(Place(scope: fact.record.scope, key: fact.record.key))
    for (subject, parts) in fact.parts {
      subjects.insert(subject)
      for token in parts.compactMap(\.fact.transaction?.appAccountToken) {
        tokens.insert(Token(app: subject.scope.app, token: token))
      }
    }
  }

  private mutating func add(_ write: LedgerWrite) {
    for order in write.orders {
      apps.insert(order.app)
      tokens.insert(Token(app: order.app, token: order.number.accountToken))
    }
    for alias in write.aliases {
      apps.insert(alias.app)
      tokens.insert(Token(app: alias.app, token: alias.token))
    }
    for request in write.ownership {
      apps.insert(request.subject.scope.app)
      subjects.insert(request.subject)
    }
    for request in write.claims {
      apps.insert(request.scope.app)
      claims.insert(Claim(scope: request.scope, unit: request.unit))
    }
    for document in write.documents {
      apps.insert(document.key.app)
      documents.insert(document.key)
    }
    for key in write.removals {
      apps.insert(key.app)
      documents.insert(key)
    }
    for subject in write.rechecks {
      apps.insert(subject.scope.app)
      subjects.insert(subject)
    }
    for merge in write.merges { apps.insert(merge.app) }
    for erasure in write.erasures { apps.insert(erasure.app) }
  }
}
