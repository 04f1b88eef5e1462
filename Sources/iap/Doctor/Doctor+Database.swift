import Foundation
import IAPModel
import PostgresStorage
import SQLiteStorage
import ServerStorage

// Whether the ledger is there, is of the right version, and has room.
extension Doctor {
  /// From which share of its connections a database is nearly full, in hundredths.
  static let connectionsPercentMax = 80

  mutating func examineDatabase() async {
    let place = settings.database
    let subject = "\(place)"
    let probe: LedgerProbe
    do throws(StorageError) {
      switch place {
      case .sqlite(let path):
        guard place.mayExist else {
          noFile(path)
          return
        }
        probe = try SQLiteLedger.probe(path: path)
      case .postgres(let address), .postgresFile(_, let address):
        probe = try PostgresLedger.probe(address)
      }
    } catch {
      unusable(error, subject)
      return
    }
    judge(probe, subject)
    guard probe.version == probe.newestVersion else { return }
    do throws(CommandError) { ledger = try place.open() } catch {
      add(
        .error,
        "database.unusable",
        subject,
        Words(error.reason(.english), zh: error.reason(.simplifiedChinese)),
        advice: Words("See above.", zh: "见上。")
      )
    }
  }

  private mutating func noFile(_ path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
      add(
        .error,
        "database.missing",
        path,
        Words("there is no such file, and it cannot be made", zh: "文件不存在且无法创建"),
        advice: Words(
          "Make the folder, and let the server's user write there: \(folder).",
          zh: "请创建文件夹 \(folder)，并允许服务器用户写入。"
        )
      )
      return
    }
    add(
      .note,
      "database.missing",
      path,
      Words("there is no such file yet; the server makes it", zh: "文件尚不存在，服务器会创建")
    )
  }

  private mutating func unusable(_ error: StorageError, _ subject: String) {
    let advice: Words =
      switch error.code {
      case .newerSchema:
        Words(
          "A newer version has changed the database: start that version, or restore a backup.",
          zh: "较新版本已修改数据库：请使用该版本，或恢复备份。"
        )
      case .corrupt:
        Words(
          "Keep the file, restore a backup with 'iap restore', then 'iap reconcile'.",
          zh: "请保留该文件，用“iap restore”恢复备份，再运行“iap reconcile”。"
        )
      case .readOnly, .full:
        Words("Look at the rights and at the room on the disk.", zh: "请检查权限和磁盘空间。")
      default:
        Words(
          "Is the database running, and do address, user and password hold? Try psql with the same "
            + "address.",
          zh: "数据库是否在运行？地址、用户和密码是否正确？可用 psql 以同一地址测试。"
        )
      }
    add(
      .error,
      error.code == .newerSchema ? "database.newer" : "database.unreachable",
      subject,
      Words("\(error.code): \(error.reason)"),
      advice: advice
    )
  }

  private mutating func judge(_ probe: LedgerProbe, _ subject: String) {
    if probe.version < probe.newestVersion {
      add(
        .note,
        "database.older",
        subject,
        Words(
          "its tables have version \(probe.version), this software's \(probe.newestVersion)",
          zh: "表结构版本为 \(probe.version)，本软件为 \(probe.newestVersion)"
        ),
        advice: Words(
          "The server brings them up to date when it starts. Make a backup before: 'iap backup'.",
          zh: "服务器启动时会更新。请先备份：“iap backup”。"
        )
      )
    } else {
      add(
        .good,
        "database",
        subject,
        Words(
          "\(probe.engine), version \(probe.version) of the tables",
          zh: "\(probe.engine)，表结构版本 \(probe.version)"
        )
      )
    }
    if probe.isReadOnly {
      add(
        .error,
        "database.readOnly",
        subject,
        Words("it may only be read", zh: "只可读取"),
        advice: Words(
          "A standby, or rights that are missing: the address has to lead to the primary.",
          zh: "这是备库，或缺少权限：地址须指向主库。"
        )
      )
    }
    if let clock = probe.clock { judgeClock("database", clock.timeIntervalSince(world.now())) }
    guard let used = probe.connections, let most = probe.connectionsMax, most > 0,
      used * 100 >= most * Self.connectionsPercentMax
    else { return }
    add(
      .warning,
      "database.connections",
      subject,
      Words("\(used) of \(most) connections are taken", zh: "\(most) 个连接中已使用 \(used) 个"),
      advice: Words(
        "Each server takes five. Raise max_connections, or find who keeps the others.",
        zh: "每个服务器占用五个。请提高 max_connections，或查明其余连接的来源。"
      )
    )
  }

  // MARK: Disks and backups

  mutating func examineDisks() {
    if case .sqlite(let path) = settings.database {
      examineRoom(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
    guard let folder = settings.doctor.backupFolder else {
      add(
        .note,
        "backups.unknown",
        "",
        Words("nobody said where backups are", zh: "未说明备份位置"),
        advice: Words(
          "Set doctor.backupFolder, and put 'iap backup' into a timer.",
          zh: "请设置 doctor.backupFolder，并定时运行“iap backup”。"
        )
      )
      return
    }
    examineBackups(folder)
    examineRoom(folder)
  }

  private mutating func examineRoom(_ folder: String) {
    guard let bytes = world.freeBytes(folder) else { return }
    let megabytes = bytes / 1_000_000
    if megabytes < settings.doctor.freeMegabytesMin {
      add(
        .error,
        "disk.full",
        folder,
        Words(
          "\(megabytes) MB are left, \(settings.doctor.freeMegabytesMin) are wanted",
          zh: "剩余 \(megabytes) MB，至少应有 \(settings.doctor.freeMegabytesMin) MB"
        ),
        advice: Words(
          "Make room before the ledger cannot be written: then nothing is acknowledged any more.",
          zh: "请尽快腾出空间：账本无法写入时将不再确认任何请求。"
        )
      )
    } else {
      add(.good, "disk", folder, Words("\(megabytes) MB are left", zh: "剩余 \(megabytes) MB"))
    }
  }

  private mutating func examineBackups(_ folder: String) {
    let advice = Words(
      "iap backup --to \(folder)/ledger-$(date +%F).sqlite; see the timer in "
        + "docs/operators/backups.md.",
      zh: "运行 iap backup --to \(folder)/ledger-$(date +%F).sqlite；定时方法见 docs/operators/backups.md。"
    )
    guard let files = world.files(folder) else {
      add(
        .error,
        "backups.folder",
        folder,
        Words("the folder cannot be read", zh: "无法读取该文件夹"),
        advice: Words("Make it, or mend doctor.backupFolder.", zh: "请创建它，或更正 doctor.backupFolder。")
      )
      return
    }
    // A backup that is being written, or was left half written, is none.
    let whole = files.filter { $0.bytes > 0 && !$0.name.contains(".unfinished") }
    guard let newest = whole.max(by: { $0.modified < $1.modified }) else {
      add(.error, "backups.none", folder, Words("there is no backup", zh: "没有备份"), advice: advice)
      return
    }
    let hours = Int(world.now().timeIntervalSince(newest.modified) / 3600)
    if hours > settings.doctor.backupHoursMax {
      add(
        .error,
        "backups.old",
        folder,
        Words(
          "the newest backup is \(hours) hours old, at most \(settings.doctor.backupHoursMax) are "
            + "wanted",
          zh: "最新备份已有 \(hours) 小时，最多应为 \(settings.doctor.backupHoursMax) 小时"
        ),
        advice: advice
      )
    } else {
      add(
        .good,
        "backups",
        folder,
        Words("the newest backup is \(hours) hours old", zh: "最新备份已有 \(hours) 小时")
      )
    }
  }
}
