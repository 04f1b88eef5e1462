import Foundation

/// Begins a chain of work with each call of the server, and says afterwards which it was: whoever
/// reads the server's log finds there what the call caused.
///
/// The chains are named by a chance of their own (``IAPWorld/trace``), so that naming them moves
/// nothing else that is drawn; where there is none, calls carry no name and are not told of.
final class CallWatch: Sendable {
  typealias Transport = @Sendable (ClientRequest) async throws -> ClientResponse

  private let name: (@Sendable () -> UUID)?
  private let listener = Locked<(@Sendable (NamedCall) -> Void)?>(nil)

  init(_ world: IAPWorld) { name = world.trace }

  /// Who is told of each call from now on.
  func tell(_ listener: @escaping @Sendable (NamedCall) -> Void) {
    self.listener.withLock { $0 = listener }
  }

  /// The same calls, each with the name of a chain.
  func watching(_ transport: @escaping Transport) -> Transport {
    guard let name else { return transport }
    return { [listener] call in
      let trace = name()
      var call = call
      call.headers[TraceHeader.name] = TraceHeader.value(trace: trace, span: name())
      var told = NamedCall(trace: TraceHeader.digits(trace), call)
      do {
        let answer = try await transport(call)
        told.status = answer.status
        listener.withLock(\.self)?(told)
        return answer
      } catch {
        listener.withLock(\.self)?(told)
        throw error
      }
    }
  }

  /// The same value, calling through ``watching(_:)`` when it calls the server.
  func watching<Caller>(_ caller: Caller) -> Caller {
    guard name != nil, let calling = caller as? any ServerCaller else { return caller }
    return calling.calling { watching($0) } as? Caller ?? caller
  }
}

extension IAPWorld {
  /// The same world, in which every call of the server has a name.
  func naming() -> IAPWorld {
    let calls = CallWatch(self)
    var world = self
    world.calls = calls
    world.http = calls.watching(http)
    return world
  }
}

/// A call of the server and what came of it.
struct NamedCall: Hashable, Sendable {
  /// The name of its chain: 32 hexadecimal digits.
  let trace: String
  /// The last word of its address.
  let call: String
  let subject: ClientRequest.Subject
  /// The status of the answer; nil when there was none.
  var status: Int?

  init(trace: String, _ request: ClientRequest) {
    self.trace = trace
    call = request.url.lastPathComponent
    subject = request.subject
  }
}

/// Something of this library that calls the server over a transport of its own.
protocol ServerCaller {
  /// The same, over another transport.
  ///
  /// - Parameter wrap: Makes the new transport out of the present one.
  /// - Returns: The caller.
  func calling(_ wrap: (@escaping CallWatch.Transport) -> CallWatch.Transport) -> Self
}
