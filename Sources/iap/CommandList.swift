extension CommandLineTool {
  /// Everything that `iap` can do, in the order in which it is listed.
  static let all: [any Command.Type] = [
    AuditCommand.self,
    BackupCommand.self,
    BenchCommand.self,
    CatalogCommand.self,
    CompletionsCommand.self,
    DemoCommand.self,
    DoctorCommand.self,
    DrillCommand.self,
    KeysCommand.self,
    LintCommand.self,
    ManCommand.self,
    MigrateCommand.self,
    NotificationsCommand.self,
    OperatorsCommand.self,
    ReceiptCommand.self,
    ReconcileCommand.self,
    ReplayCommand.self,
    RestoreCommand.self,
    ServeCommand.self,
    SimulateCommand.self,
    StoreCommand.self,
    VerifyCommand.self,
  ]
}
