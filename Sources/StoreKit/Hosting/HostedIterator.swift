/// One consumer's place in a never-ending stream of the host.
///
/// Dead processes get nothing: an element that was waiting when the process was killed stays
/// unread.
struct HostedIterator<Element: Sendable> {
  private let host: any StoreHost
  private var iterator: AsyncStream<Element>.Iterator

  init(_ stream: AsyncStream<Element>, host: any StoreHost) {
    self.host = host
    self.iterator = stream.makeAsyncIterator()
  }

  mutating func next() async -> Element? {
    await host.passWhileAlive()
    let element = await iterator.next()
    await host.passWhileAlive()
    return element
  }
}
