import HTTPValues
import Testing

@Suite struct HTTPValuesTests {
  @Test func headersAreFoundInAnyCase() {
    var headers: HTTPHeaders = ["Content-Type": "a", "X": "1", "x": "2"]
    #expect(headers["content-type"] == "a")
    #expect(headers.values("X") == ["1", "2"])
    headers["X"] = "3"
    #expect(headers.fields.map(\.value) == ["a", "3"])
  }

  @Test(arguments: [("", "a"), ("a b", "a"), ("a:", "a"), ("a", "b\r\nc: d"), ("a", "\u{0}")])
  func aFieldThatIsNoneIsNotTaken(name: String, value: String) {
    var headers = HTTPHeaders()
    let isTaken = headers.appendIfValid(name, value)
    #expect(!isTaken)
    #expect(headers.fields.isEmpty)
  }

  @Test func targetsAreTakenApart() {
    let request = HTTPRequest(method: .get, target: "/v1//customers/a%2Fb%20c?x=1+2&y=%41&z&=q")
    #expect(request.path == "/v1//customers/a%2Fb%20c")
    #expect(request.pathSegments == ["v1", "customers", "a/b c"])
    #expect(
      request.queryItems == [
        HTTPQueryItem("x", "1 2"), HTTPQueryItem("y", "A"), HTTPQueryItem("z", nil),
        HTTPQueryItem("", "q"),
      ]
    )
    #expect(request.queryValue("y") == "A")
  }

  @Test(arguments: ["%", "%4", "%zz", "%%41"])
  func anEscapeThatIsNoneStays(text: String) {
    #expect(PercentCoding.decode(text).hasPrefix("%"))
  }

  @Test(arguments: ["", "plain", "a/b?c=d&e", "ü 漢字", "100%"])
  func encodingIsUndoneByDecoding(text: String) {
    #expect(PercentCoding.decode(PercentCoding.encode(text)) == text)
  }

  @Test func mediaTypeLeavesParametersOut() {
    let request = HTTPRequest(
      method: .post,
      target: "/",
      headers: ["content-type": "Application/JSON; charset=utf-8"]
    )
    #expect(request.mediaType == "application/json")
  }
}
