import EntitlementServer
import FuzzServers
import FuzzSupport
import Foundation
import Glibc
import HTTPValues
import MicroHTTP

// Bytes on a connection of the real HTTP server, with all of the server's routes behind it.

private let seeds = made { try FuzzSeeds() }
private let whole = made { try FuzzServer(seeds) }
private let http = made {
  try HTTPServer.start(
    host: "127.0.0.1",
    port: 0,
    limits: HTTPLimits(idleTimeout: .seconds(1), transferTimeout: .seconds(1)),
    refuse: { whole.server.refusal($0) },
    handler: { request in
      let response = await whole.server.answer(request)
      FuzzServer.check(response)
      return response
    }
  )
}

/// Writes the first inputs.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ list: UnsafeMutableRawPointer?) -> CInt
{
  signal(SIGPIPE, SIG_IGN)
  func request(_ line: String, _ body: String = "", _ more: String = "") -> [UInt8] {
    let length = "Content-Length: \(body.utf8.count)\r\n"
    return Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(length)\(more)\r\n\(body)".utf8)
  }
  let chunked = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
  FuzzSeeds.write([
    request("GET /v1/customers/mia?app=com.example.app&environment=Production"),
    request("GET /openapi.json"), request("GET /metrics"), request("GET /healthz"),
    request(
      "POST /v1/orders?app=com.example.app",
      #"{"productId":"coins"}"#,
      "Idempotency-Key: k\r\n"
    ),
    request("GET /v1/orders/lookup?appStoreOrderId=%4D&app=com.example.app"),
    Array(("POST /v1/verify HTTP/1.1\r\nHost: a\r\n" + chunked).utf8),
    request("GET /v1/export?app=com.example.app&kind=orders", "", "Authorization: Bearer x\r\n"),
  ])
  return 0
}

/// Looks at one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return 0 }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(UInt16(http.address.port).bigEndian)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isOpen = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
  }
  guard isOpen == 0 else { return 0 }
  let bytes = fuzzBytes(start, count)
  var sent = 0
  while sent < bytes.count {  // bound: the input
    let count = bytes.withUnsafeBytes {
      send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, 0)
    }
    guard count > 0 else { break }
    sent += count
  }
  shutdown(descriptor, Int32(SHUT_WR))
  var buffer = [UInt8](repeating: 0, count: 16_384)
  while recv(descriptor, &buffer, buffer.count, 0) > 0 {}  // bound: the server's time limits
  return 0
}
