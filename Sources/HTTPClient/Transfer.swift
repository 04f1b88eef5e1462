internal import CCurl
internal import HTTPValues

/// One request on its way, and what has come of its response.
///
/// It owns its libcurl handle, and belongs to the loop's thread.
@safe
final class Transfer {
  let job: TransferJob
  let easy: UnsafeMutableRawPointer
  private let limits: HTTPClientLimits
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var addressList: UnsafeMutablePointer<curl_slist>?
  private var headers = HTTPHeaders()
  private var headerBytes = 0
  private var body: [UInt8] = []
  private var isTooLarge = false

  /// Sets a handle up; nil when libcurl has none or refuses an option.
  init?(_ job: TransferJob, limits: HTTPClientLimits, proxy: String?) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe self.easy = unsafe easy
    self.job = job
    self.limits = limits
    unsafe headerList = nil
    unsafe addressList = nil
    guard setUp(proxy: proxy) else { return nil }
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(headerList)
    unsafe curl_slist_free_all(addressList)
  }

  /// The handle's address, as a name for it.
  var name: UInt { unsafe UInt(bitPattern: easy) }

  /// What came of the transfer.
  func result(_ code: CURLcode) -> TransferResult {
    if isTooLarge {
      return .failure(HTTPClientError(.responseTooLarge, "the response exceeds the limit"))
    }
    guard code == CURLE_OK else { return .failure(HTTPClientError(curl: code)) }
    var status = 0
    _ = unsafe iap_curl_get_status(easy, &status)
    guard (200...599).contains(status) else {
      return .failure(HTTPClientError(.responseMalformed, "the status is not a final one"))
    }
    return .success(HTTPResponse(status: status, headers: headers, body: body))
  }

  private func setUp(proxy: String?) -> Bool {
    let request = job.request
    let milliseconds = Int((request.timeout / Duration.milliseconds(1)).rounded(.up))
    var codes = unsafe [
      iap_curl_set_text(easy, CURLOPT_URL, request.url),
      iap_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      iap_curl_set_text(easy, CURLOPT_PROXY, proxy ?? ""),
      iap_curl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0),
      iap_curl_set_number(easy, CURLOPT_NOSIGNAL, 1),
      iap_curl_set_number(easy, CURLOPT_TIMEOUT_MS, max(1, milliseconds)),
      iap_curl_set_number(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
    ]
    codes += methodCodes(request)
    codes += receiverCodes()
    for field in request.headers {
      // A field without a value is written with a semicolon, else libcurl leaves it out.
      add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    // Without this a large body waits a second for a permission that few servers give.
    add("Expect:")
    unsafe codes.append(iap_curl_set_headers(easy, headerList))
    if let pin = request.pin {
      let address = pin.address.contains(":") ? "[\(pin.address)]" : pin.address
      unsafe addressList = unsafe curl_slist_append(nil, "\(pin.host):\(pin.port):\(address)")
      unsafe codes.append(iap_curl_set_addresses(easy, addressList))
    }
    return codes.allSatisfy { $0 == CURLE_OK }
  }

  private func methodCodes(_ request: HTTPOutgoingRequest) -> [CURLcode] {
    if request.method == .head { return unsafe [iap_curl_set_number(easy, CURLOPT_NOBODY, 1)] }
    var codes: [CURLcode] = []
    let takesBody = [.post, .put, .patch].contains(request.method)
    if !request.body.isEmpty || takesBody {
      unsafe codes.append(
        iap_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
      )
      // An empty list of bytes has no address, and libcurl wants one.
      let bytes = request.body.isEmpty ? [0] : request.body
      unsafe codes.append(
        bytes.withUnsafeBytes {
          unsafe iap_curl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        }
      )
    }
    unsafe codes.append(
      iap_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    )
    return codes
  }

  private func receiverCodes() -> [CURLcode] {
    // Not retained: the handle is cleaned up before this object goes.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe [
      iap_curl_set_body_receiver(
        easy,
        { data, size, count, context in
          unsafe Transfer.receive(data, size * count, context) { unsafe $0.takeBody($1) }
        },
        context
      ),
      iap_curl_set_header_receiver(
        easy,
        { data, size, count, context in
          unsafe Transfer.receive(data, size * count, context) { unsafe $0.takeHeaderLine($1) }
        },
        context
      ),
    ]
  }

  private static func receive(
    _ data: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?,
    _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let bytes = unsafe UnsafeRawBufferPointer(start: data, count: count)
    // Any other number than the count ends the transfer.
    return unsafe take(transfer, bytes) ? count : (count == 0 ? 1 : 0)
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= limits.bodyBytesMax else {
      isTooLarge = true
      return false
    }
    unsafe body.append(contentsOf: bytes)
    return true
  }

  private func takeHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= limits.headerBytesMax else {
      isTooLarge = true
      return false
    }
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      // A new head: what came before was an interim response.
      headers = HTTPHeaders()
      return true
    }
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return true }
    let value = line[line.utf8.index(after: colon)...].utf8
      .drop { $0 == 0x20 || $0 == 0x09 }
    let end = value.lastIndex { $0 > 0x20 }.map { value.index(after: $0) } ?? value.startIndex
    _ = headers.appendIfValid(
      String(line[..<colon]),
      String(decoding: value[value.startIndex..<end], as: UTF8.self)
    )
    return true
  }

  private func add(_ line: String) {
    unsafe headerList = unsafe curl_slist_append(headerList, line)
  }
}

extension HTTPClientError {
  /// The error that a libcurl code stands for.
  init(curl code: CURLcode) {
    let kind: Code =
      switch code {
      case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .urlInvalid
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .hostNotFound
      case CURLE_COULDNT_CONNECT: .connectFailed
      case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE:
        .connectionLost
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER:
        .encryptionFailed
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2: .responseMalformed
      default: .failed
      }
    self.init(kind, unsafe String(cString: curl_easy_strerror(code)))
  }
}
