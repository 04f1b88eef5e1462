import Foundation
import IAPKit
import IAPKitSQLite

// A process that writes into a storage that others write into too; started and killed by tests.
// It says each record's name after the record is durable.
//
//   JournalWriter journal|sqlite FOLDER NAME COUNT

let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[4]) else { exit(64) }
let folder = URL(fileURLWithPath: words[2], isDirectory: true)

/// Opens the storage, waiting for whoever has it open; gives up in the end.
func openStorage() -> any RecordStorage {
  for _ in 0..<2_000_000 {
    let storage: any RecordStorage =
      words[1] == "sqlite"
      ? SQLiteRecordStorage(file: folder.appendingPathComponent("iap.sqlite"))
      : JournalStorage(files: LiveFiles(directory: folder))
    do {
      _ = try storage.load()
      return storage
    } catch IAPError.storage(let problem) where problem == .inUse {
      sched_yield()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }
  exit(2)
}

var number = 0
while number < count {
  let storage = openStorage()
  for _ in 0..<5 where number < count {
    number += 1
    let id = "\(words[3])-\(number)"
    let key = StorageKey(kind: "transaction", id: id)
    do {
      try storage.write([StorageEntry(key, Array("{\"id\":\"\(id)\"}".utf8))])
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(3)
    }
    FileHandle.standardOutput.write(Data((id + "\n").utf8))
  }
  storage.close()
}
