import FuzzServers
import FuzzSupport
import HTTPValues

// Bodies of requests to the server: the first byte says which route.

private let seeds = made { try FuzzSeeds() }
private let server = made { try FuzzServer(seeds) }
private let routes: [(HTTPMethod, String)] = [
  (.post, "/v1/verify"), (.post, "/v1/notifications/apple"), (.post, "/v1/orders"),
  (.put, "/v1/catalog"), (.post, "/v1/reviews"), (.post, "/v1/offers/signature"),
  (.post, "/v1/customers/mia/aliases"), (.post, "/v1/customers/mia/tokens"),
  (.post, "/v1/customers/mia/balances/gold/spend"), (.post, "/v1/reconciliations"),
  (.post, "/verifyReceipt"), (.post, "/v1/webhooks"),
]

/// Writes the first inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> CInt
{
  let sale = String(decoding: seeds.transaction, as: UTF8.self)
  let notice = String(decoding: seeds.notification, as: UTF8.self)
  let bodies = [
    #"{"signedTransaction":"\#(sale)","account":"mia","orderNumber":"n-1","installation":"i"}"#,
    #"{"signedPayload":"\#(notice)"}"#,
    #"{"number":"n-1","productId":"coins","quantity":1,"account":"mia","context":{"a":"b"}}"#,
    #"{"products":{"coins":{"entitlements":["gold"],"level":1,"accessPeriod":"P3M"}}}"#,
    #"{"transactionId":"1","productId":"coins","reason":"rejected"}"#,
    #"{"productId":"pro","offerId":"half","format":"promotional"}"#,
    #"{"alias":"other"}"#, #"{"app":"com.example.app"}"#, #"{"amount":3,"key":"k-1"}"#,
    #"{"app":"com.example.app","environment":"Production"}"#,
    #"{"receipt-data":"MIIB","password":"secret","exclude-old-transactions":true}"#,
    #"{"url":"https://example.com/hook","events":["*"]}"#,
  ]
  FuzzSeeds.write(bodies.enumerated().map { [UInt8($0)] + Array($1.utf8) })
  return 0
}

/// Looks at one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzBytes(start, count)
  guard let first = bytes.first else { return 0 }
  let (method, target) = routes[Int(first) % routes.count]
  let request = HTTPRequest(
    method: method,
    target: target + "?app=com.example.app",
    headers: ["Content-Type": "application/json", "Idempotency-Key": "fuzz"],
    body: Array(bytes.dropFirst())
  )
  FuzzServer.check(server.answer(request))
  return 0
}
