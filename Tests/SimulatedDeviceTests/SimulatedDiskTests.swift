import SimulatedDevice
import Testing

@Suite struct SimulatedDiskTests {
  private func device() throws -> SimulatedDevice { try DeviceWorld().device() }

  @Test func aKillKeepsWhatWasFlushed() throws {
    let device = try device()
    let process = device.launch()
    try process.disk.append([1, 2, 3], to: "journal", at: 0)
    try process.disk.write([4, 5], to: "journal", at: 3)
    #expect(try process.disk.read("journal") == [1, 2, 3, 4, 5])
    #expect(device.disk.flushedBytes(of: "journal") == [1, 2, 3])
    process.kill()
    #expect(try device.launch().disk.read("journal") == [1, 2, 3])
  }

  @Test func aTornWriteKeepsAPart() throws {
    let device = try device()
    device.disk.faults.tornBytes = 1
    let process = device.launch()
    try process.disk.append([1, 2, 3], to: "journal", at: 0)
    process.kill(at: .beforeFlush)
    #expect(throws: DeviceError(.processKilled, "")) {
      try process.disk.append([4, 5], to: "journal", at: 3)
    }
    #expect(try device.launch().disk.read("journal") == [1, 2, 3, 4])
  }

  @Test func aDeadProcessCannotTouchTheDisk() throws {
    let device = try device()
    let disk = device.launch().disk
    try disk.append([1], to: "a", at: 0)
    _ = device.launch()
    let killed = DeviceError(.processKilled, "")
    #expect(throws: killed) { try disk.append([2], to: "a", at: 1) }
    #expect(throws: killed) { try disk.replace("a", with: [9]) }
    #expect(throws: killed) { try disk.read("a") }
    #expect(throws: killed) { try disk.remove("a") }
    #expect(throws: killed) { try disk.lock("a.lock") }
    #expect(device.disk.flushedBytes(of: "a") == [1])
  }

  @Test func replacingIsWholeOrNothing() throws {
    let device = try device()
    let first = device.launch()
    try first.disk.replace("state", with: [1, 1])
    first.kill(at: .beforeFlush)
    #expect(throws: DeviceError.self) { try first.disk.replace("state", with: [2, 2, 2]) }
    let second = device.launch()
    #expect(try second.disk.read("state") == [1, 1])
    second.kill(at: .afterFlush)
    #expect(throws: DeviceError.self) { try second.disk.replace("state", with: [3]) }
    #expect(try device.launch().disk.read("state") == [3])
  }

  @Test func aFullDiskTakesWhatFits() throws {
    let device = try device()
    let disk = device.launch().disk
    device.disk.faults.capacity = 4
    try disk.append([1, 2, 3], to: "journal", at: 0)
    try disk.append([4], to: "journal", at: 3)
    #expect(throws: DeviceError(.diskFull, "")) { try disk.append([5], to: "journal", at: 4) }
    #expect(throws: DeviceError(.diskFull, "")) { try disk.append([8, 9], to: "journal", at: 3) }
    #expect(try disk.read("journal") == [1, 2, 3, 8])
    #expect(throws: DeviceError(.diskFull, "")) { try disk.replace("other", with: [1]) }
    device.disk.faults.capacity = 5
    try disk.replace("other", with: [1])
  }

  @Test func aReadOnlyDiskTakesNothing() throws {
    let device = try device()
    let disk = device.launch().disk
    try disk.append([1], to: "journal", at: 0)
    device.disk.faults.isReadOnly = true
    #expect(throws: DeviceError(.diskReadOnly, "")) { try disk.append([2], to: "journal", at: 1) }
    #expect(throws: DeviceError(.diskReadOnly, "")) { try disk.replace("journal", with: []) }
    #expect(throws: DeviceError(.diskReadOnly, "")) { try disk.remove("journal") }
    #expect(try disk.read("journal") == [1])
    device.disk.faults.isUnreadable = true
    #expect(throws: DeviceError(.diskUnreadable, "")) { try disk.read("journal") }
  }

  @Test func writingBehindTheEndIsRefused() throws {
    let disk = try device().launch().disk
    #expect(throws: DeviceError(.offsetBehindEnd, "")) { try disk.write([1], to: "a", at: 1) }
    try disk.write([1], to: "a", at: 0)
    try disk.write([2], to: "a", at: 1)
    #expect(try disk.read("a") == [1, 2])
  }

  @Test func aLockEndsWithItsHolderOrItsProcess() throws {
    let device = try device()
    let first = device.launch()
    let lock = try first.disk.lock("journal.lock")
    #expect(throws: DeviceError(.lockInUse, "")) { try first.disk.lock("journal.lock") }
    lock.release()
    let again = try first.disk.lock("journal.lock")
    lock.release()
    #expect(throws: DeviceError(.lockInUse, "")) { try first.disk.lock("journal.lock") }
    let second = device.launch()
    let taken = try second.disk.lock("journal.lock")
    again.release()
    #expect(throws: DeviceError(.lockInUse, "")) { try second.disk.lock("journal.lock") }
    taken.release()
  }

  @Test func filesCanBePlacedFromOutside() throws {
    let device = try device()
    device.disk.place([7], as: "journal")
    let disk = device.launch().disk
    #expect(try disk.read("journal") == [7])
    #expect(try disk.names() == ["journal"])
    device.disk.place(nil, as: "journal")
    #expect(try disk.read("journal") == nil)
  }
}
