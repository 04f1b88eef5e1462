import IAPModel

// Family Sharing.
extension SimulatedAppStore {
  /// Makes a family of one.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - organizer: The first member.
  /// - Throws: ``SimulatorError`` with `duplicate`, `unknownAccount`, or `notAllowed` when the
  ///   account is in a family.
  public func addFamily(_ id: FamilyID, organizer: AccountID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.addFamily(id, organizer: organizer, at: now)
    }
  }

  /// An account joins: what members own and share is shared both ways.
  ///
  /// - Parameters:
  ///   - id: The family.
  ///   - account: The account.
  /// - Throws: ``SimulatorError`` with `unknownAccount`, or `notAllowed` when the account is in a
  ///   family or the family has six members.
  public func joinFamily(_ id: FamilyID, _ account: AccountID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.joinFamily(id, account, at: now)
    }
  }

  /// An account leaves: what was shared with it and by it ends at once.
  ///
  /// - Parameters:
  ///   - id: The family.
  ///   - account: The account.
  /// - Throws: ``SimulatorError`` with `unknownAccount`, or `notAllowed` for somebody else.
  public func leaveFamily(_ id: FamilyID, _ account: AccountID) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.leaveFamily(id, account, at: now)
    }
  }

  /// A member shares its purchases, or keeps them to itself.
  ///
  /// - Parameters:
  ///   - shares: Whether.
  ///   - account: The member.
  /// - Throws: ``SimulatorError`` with `notAllowed` when the account is in no family.
  public func setSharesPurchases(
    _ shares: Bool,
    of account: AccountID
  ) throws(SimulatorError) {
    try command { core, now throws(SimulatorError) in
      try core.setShares(shares, of: account, at: now)
    }
  }

  /// All families, in the order in which they were made.
  public var families: [FamilyRecord] { read { $0.state.families } }
}
