/// Answers requests: what a server calls, and what a router is.
///
/// It is called from any thread, many times at once, and always answers.
public typealias HTTPHandler = @Sendable (HTTPRequest) async -> HTTPResponse
