import HTTPValues

/// The files of the pages: a style sheet, a script and a picture, known by their content.
struct Assets: Sendable {
  private struct File: Sendable {
    let path: String
    let mediaType: String
    let body: [UInt8]
    let tag: String
  }

  private let files: [File]
  let style: MarkupTarget
  let script: MarkupTarget
  let icon: MarkupTarget

  private static let stylePath: StaticString = "/dashboard/style.css"
  private static let scriptPath: StaticString = "/dashboard/script.js"
  private static let iconPath: StaticString = "/dashboard/icon.svg"

  init(digest: ([UInt8]) -> [UInt8]) {
    func file(_ path: StaticString, _ mediaType: String, _ text: String) -> File {
      let body = Array(text.utf8)
      return File(
        path: path.description,
        mediaType: mediaType,
        body: body,
        tag: Hex.text(digest(body).prefix(8))
      )
    }
    let style = file(
      Self.stylePath,
      "text/css; charset=utf-8",
      StyleSheet.ground + StyleSheet.parts + StyleSheet.charts + StyleSheet.narrow
    )
    let script = file(Self.scriptPath, "text/javascript; charset=utf-8", PageScript.text)
    let icon = file(Self.iconPath, "image/svg+xml", StyleSheet.icon)
    files = [style, script, icon]
    // The content is a part of the address, so a copy may be kept for ever.
    self.style = MarkupTarget(Self.stylePath, [("v", style.tag)])
    self.script = MarkupTarget(Self.scriptPath, [("v", script.tag)])
    self.icon = MarkupTarget(Self.iconPath, [("v", icon.tag)])
  }

  /// The answer to a request for a file; nil when it is for none.
  func answer(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.method == .get || request.method == .head,
      let file = files.first(where: { $0.path == request.path })
    else { return nil }
    let tag = "\"\(file.tag)\""
    let isCurrent = request.queryValue("v") == file.tag
    let headers: HTTPHeaders = [
      "ETag": tag, "Content-Type": file.mediaType,
      "Cache-Control": isCurrent ? "public, max-age=31536000, immutable" : "no-cache",
    ]
    if request.headers["If-None-Match"] == tag {
      return HTTPResponse(status: 304, headers: headers)
    }
    return HTTPResponse(status: 200, headers: headers, body: file.body)
  }
}
