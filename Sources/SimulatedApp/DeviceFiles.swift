import IAPKit
#if PLANTED_BUGS
import IAPModel
#endif
import SimulatedDevice

/// The client's folder on a simulated device's disk, as one app process sees it.
struct DeviceFiles: ClientFiles {
  let disk: ProcessDisk

  func lock(_ name: String) throws(IAPError) -> any ClientFileLock {
    do throws(DeviceError) {
      return DeviceLock(try disk.lock(name + ".lock"))
    } catch {
      throw error.storage
    }
  }

  func read(_ name: String) throws(IAPError) -> [UInt8]? {
    do throws(DeviceError) {
      return try disk.read(name)
    } catch {
      throw error.storage
    }
  }

  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {
    do throws(DeviceError) {
      try disk.append(bytes, to: name, at: length)
    } catch {
      throw error.storage
    }
  }

  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) {
    do throws(DeviceError) {
      try disk.replace(name, with: bytes)
    } catch {
      throw error.storage
    }
  }
}

private final class DeviceLock: ClientFileLock {
  private let lock: DiskLock

  init(_ lock: DiskLock) { self.lock = lock }

  func release() { lock.release() }
}

extension DeviceError {
  /// The same problem in the client's words.
  fileprivate var storage: IAPError {
    switch code {
    case .diskFull: .storage(.full)
    case .diskReadOnly: .storage(.readOnly)
    case .lockInUse: .storage(.inUse)
    default: .storage(.inputOutput)
    }
  }
}

#if PLANTED_BUGS
/// The same folder with planted bugs.
struct MistakenFiles: ClientFiles {
  let files: DeviceFiles
  let planted: PlantedBug?

  func lock(_ name: String) throws(IAPError) -> any ClientFileLock { try files.lock(name) }

  func read(_ name: String) throws(IAPError) -> [UInt8]? {
    let bytes = try files.read(name)
    guard planted == .dropsFilesWithTornEnds, let last = bytes?.last else { return bytes }
    return last == UInt8(ascii: "\n") ? bytes : []
  }

  func append(_ bytes: [UInt8], to name: String, at length: Int) throws(IAPError) {
    guard planted == .savesWithoutFlush else {
      return try files.append(bytes, to: name, at: length)
    }
    do throws(DeviceError) {
      try files.disk.write(bytes, to: name, at: length)
    } catch {
      throw error.storage
    }
  }

  func replace(_ name: String, with bytes: [UInt8]) throws(IAPError) {
    try files.replace(name, with: bytes)
  }
}
#endif
