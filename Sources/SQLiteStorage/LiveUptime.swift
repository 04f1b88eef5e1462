internal import Dispatch

/// The time since the machine started, from a clock that never jumps: for measuring statements.
func uptimeMilliseconds() -> Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
