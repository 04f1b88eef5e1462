import Foundation
import HTTPValues
import IAPModel

/// What a response of the App Store's server says.
///
/// - **Source:** App Store Server API, "Error codes" and "Identifying rate limits".
enum ServerAPIResponse {
  /// The members of the answer; none when the body is empty.
  case answer(JSONObject)
  case failure(AppStoreServerError)

  /// Numbers from here on are UNIX milliseconds; Apple gives nothing else, proxies give seconds.
  static let millisecondsMin: Int64 = 100_000_000_000

  init(_ response: HTTPResponse, now: Date) {
    let limits = JSONLimits(
      sizeBytesMax: AppStoreServerClient.answerBytesMax,
      depthMax: AppStoreServerClient.answerDepthMax
    )
    let object = try? JSONParser.parseObject(response.body, limits: limits)
    switch response.status {
    case 200...299 where response.body.isEmpty: self = .answer(JSONObject())
    case 200...299:
      guard let object else {
        self = .failure(
          AppStoreServerError(
            .answerMalformed,
            "the answer is no JSON object",
            status: response.status
          )
        )
        return
      }
      self = .answer(object)
    default: self = .failure(Self.error(response, object, now: now))
    }
  }

  private static func error(
    _ response: HTTPResponse,
    _ object: JSONObject?,
    now: Date
  ) -> AppStoreServerError {
    let number = object?["errorCode"]?.integerValue
    // A number that does not go with the status is no answer of the App Store's server.
    let code = number.flatMap { $0 / 10_000 == Int64(response.status) ? $0 : nil }
    let apiCode = code.map { ServerAPIErrorCode(rawValue: $0) }
    let retryAt = retryAt(response.headers["Retry-After"], now: now)
    let kind: AppStoreServerError.Code
    switch response.status {
    case 401: kind = .unauthorized
    case 429: kind = .rateLimited
    case 404: kind = apiCode == nil ? .answerMalformed : .notFound
    // Between us and the App Store there are others who refuse: that is no answer about a purchase.
    case 400...499: kind = apiCode == nil && response.status != 400 ? .answerMalformed : .refused
    case 500...599: kind = .serverFailed
    default: kind = .answerMalformed
    }
    return AppStoreServerError(
      kind,
      "status \(response.status)",
      status: response.status,
      apiCode: apiCode,
      retryAt: kind == .rateLimited || kind == .serverFailed ? retryAt : nil
    )
  }

  private static func retryAt(_ text: String?, now: Date) -> Date? {
    guard let text, let number = Int64(text), number >= 0 else { return nil }
    return number >= millisecondsMin
      ? Date(milliseconds: number) : now.addingTimeInterval(TimeInterval(number))
  }
}
