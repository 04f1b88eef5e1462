import HTTPValues
import MicroHTTP

/// Serves pages of a test to the browser.
struct PageServer {
  /// Serves while the body runs.
  ///
  /// - Parameters:
  ///   - pages: The HTML of each path.
  ///   - body: Gets the address without a slash at its end.
  static func with<Value>(
    _ pages: [String: String],
    _ body: (String) async throws -> Value
  ) async throws -> Value {
    let server = try HTTPServer.start(host: "127.0.0.1", port: 0) { request in
      guard let page = pages[request.path] else { return HTTPResponse(status: 204) }
      return HTTPResponse(
        status: 200,
        headers: ["Content-Type": "text/html; charset=utf-8"],
        body: Array(page.utf8)
      )
    }
    do {
      let value = try await body(server.address.url)
      await server.stop()
      return value
    } catch {
      await server.stop()
      throw error
    }
  }
}
