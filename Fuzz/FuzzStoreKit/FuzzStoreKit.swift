import AppStoreSimulator
import FuzzSupport

// Catalogs as Xcode writes them.

/// Writes the first inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> CInt
{
  FuzzSeeds.write([Array(DemoCatalog.text.utf8)])
  return 0
}

/// Looks at one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzBytes(start, count)
  guard let catalog = try? StoreCatalog(parsing: bytes, file: "input.storekit") else { return 0 }
  // What was read once is read the same way again.
  precondition((try? StoreCatalog(parsing: bytes, file: "input.storekit")) == catalog)
  return 0
}
