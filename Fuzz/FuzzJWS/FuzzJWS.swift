import FuzzSupport
import IAPModel
import IAPSignatures

// Compact JWS of every kind: only what was signed is accepted.

private let seeds = made { try FuzzSeeds() }
private let verifier = made { try seeds.verifier() }
private let depths = [
  NotificationVerifier(verifier: verifier, depth: .everySignature),
  NotificationVerifier(verifier: verifier, depth: .outerSignature),
]

/// Writes the first inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> CInt
{
  FuzzSeeds.write([seeds.transaction, seeds.renewal, seeds.notification, seeds.appTransaction])
  return 0
}

/// Looks at one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = fuzzBytes(start, count)
  _ = PayloadKind.guess(text)
  let instant = JudgingInstant.at(FuzzSeeds.now)
  if let verdict = try? verifier.transaction(text, instant: instant), verdict.accepted != nil {
    precondition(text == seeds.transaction, "a transaction that nobody signed")
  }
  _ = try? verifier.renewalInfo(text, instant: .signedDate)
  _ = try? verifier.appTransaction(text, instant: instant)
  for depth in depths {
    if let verdict = try? depth.verify(text, instant: instant), verdict.accepted != nil {
      precondition(text == seeds.notification, "a notification that nobody signed")
    }
  }
  // The parts by themselves: the signature keeps the fuzzer from what lies behind it.
  for part in text.split(separator: UInt8(ascii: "."), maxSplits: 3) {
    guard let bytes = Base64.decode(part, .url) else { continue }
    precondition(Base64.encodedBytes(bytes, .url) == Array(part), "a text with two spellings")
    guard let object = try? JSONParser.parseObject(bytes) else { continue }
    let again = try? JSONParser.parseObject(JSONValue.object(object).serialized)
    precondition(again == object, "JSON that changes when it is written")
    _ = try? TransactionPayload(object)
    _ = try? RenewalInfoPayload(object)
    _ = try? NotificationPayload(object)
    _ = try? AppTransactionPayload(object)
  }
  return 0
}
