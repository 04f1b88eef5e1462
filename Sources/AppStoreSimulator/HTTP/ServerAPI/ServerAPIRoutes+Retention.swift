import Foundation
import HTTPValues
import IAPModel

// Retention messages: kept and given out. Everything is approved at once, as in the sandbox.
//
// - **Source:** the server-interface facts, sections 5.16 and 5.18.
extension ServerAPIRoutes {
  private static let base = "/inApps/v1/messaging"

  var retentionRoutes: [Route] {
    imageRoutes + messageRoutes + defaultRoutes + realtimeRoutes
  }

  private var imageRoutes: [Route] {
    [
      route(.get, Self.base + "/image/list", .fifty) { call throws(SimulatorError) in
        let images = store.retentionShelf(of: call.app).images.map { image -> JSONValue in
          [
            "imageIdentifier": .string(image.id), "imageState": "APPROVED",
            "imageSize": .string(image.size),
          ]
        }
        return .json(["imageIdentifiers": .array(images)])
      },
      route(
        .put,
        Self.base + "/image/:id",
        .fifty,
        bodyBytesMax: RetentionShelf.imageBytesMax
      ) { call throws(SimulatorError) in
        let id = try call.uuid("id")
        let size = call.request.queryValue("imageSize") ?? "FULL_SIZE"
        guard ["FULL_SIZE", "BULLET_POINT"].contains(size) else { throw .refusal(.badImageSize) }
        let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard call.request.body.starts(with: mark) else { throw .refusal(.invalidImage) }
        try store.changeRetention(.imageAdded(id, size: size), of: call.app)
        return .empty(200)
      },
      route(.delete, Self.base + "/image/:id", .fifty) { call throws(SimulatorError) in
        let id = try call.uuid("id")
        try store.changeRetention(.imageRemoved(id), of: call.app)
        return .empty(200)
      },
    ]
  }

  private var messageRoutes: [Route] {
    [
      route(.get, Self.base + "/message/list", .fifty) { call throws(SimulatorError) in
        let messages = store.retentionShelf(of: call.app).messages.map { message -> JSONValue in
          ["messageIdentifier": .string(message.id), "messageState": "APPROVED"]
        }
        return .json(["messageIdentifiers": .array(messages)])
      },
      route(.put, Self.base + "/message/:id", .fifty) { call throws(SimulatorError) in
        let id = try call.uuid("id")
        let body = try call.body()
        try store.changeRetention(.messageAdded(id, body), of: call.app)
        return .empty(200)
      },
      route(.delete, Self.base + "/message/:id", .fifty) { call throws(SimulatorError) in
        let id = try call.uuid("id")
        try store.changeRetention(.messageRemoved(id), of: call.app)
        return .empty(200)
      },
    ]
  }

  private var defaultRoutes: [Route] {
    let path = Self.base + "/default/:product/:locale"
    return [
      route(.put, path, .fifty) { call throws(SimulatorError) in
        let key = try defaultKey(call)
        guard let message = try call.body()["messageIdentifier"]?.stringValue else {
          throw .refusal(.generalBadRequest)
        }
        try store.changeRetention(
          .defaultSet(key: key, message: message.lowercased()),
          of: call.app
        )
        return .empty(200)
      },
      route(.get, path, .fifty) { call throws(SimulatorError) in
        let key = try defaultKey(call)
        guard let found = store.retentionShelf(of: call.app).defaults[key] else {
          throw .refusal(.defaultMessageNotFound)
        }
        return .json(["messageIdentifier": .string(found)])
      },
      route(.delete, path, .fifty) { call throws(SimulatorError) in
        let key = try defaultKey(call)
        try store.changeRetention(.defaultRemoved(key: key), of: call.app)
        return .empty(200)
      },
    ]
  }

  private func defaultKey(_ call: ServerAPICall) throws(SimulatorError) -> String {
    let product = ProductID(call.parameters["product"])
    let locale = call.parameters["locale"]
    let app = store.apps.first { $0.bundleID == call.app }
    guard app?.catalog[product] != nil else { throw .refusal(.invalidProductID) }
    let isLocale = locale.utf8.allSatisfy { byte in
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
    }
    guard isLocale, (2...35).contains(locale.utf8.count) else { throw .refusal(.invalidLocale) }
    return "\(product)/\(locale)"
  }

  private var realtimeRoutes: [Route] {
    [
      route(.put, Self.base + "/realtime/url", .fifty) { call throws(SimulatorError) in
        guard let text = try call.body()["realtimeURL"]?.stringValue,
          text.count <= RetentionShelf.urlLengthMax, let url = URL(string: text),
          url.scheme == "https", url.host != nil
        else { throw .refusal(.badRealtimeURL) }
        try store.changeRetention(.realtimeURLSet(text), of: call.app)
        return .empty(200)
      },
      route(.get, Self.base + "/realtime/url", .fifty) { call throws(SimulatorError) in
        guard let url = store.retentionShelf(of: call.app).realtimeURL else {
          throw .refusal(.realtimeURLNotFound)
        }
        return .json(["realtimeURL": .string(url)])
      },
      route(.delete, Self.base + "/realtime/url", .fifty) { call throws(SimulatorError) in
        try store.changeRetention(.realtimeURLRemoved, of: call.app)
        return .empty(200)
      },
      route(.post, Self.base + "/performanceTest", .one) { call throws(SimulatorError) in
        try startPerformanceTest(call)
      },
      route(.get, Self.base + "/performanceTest/result/:id", .one) {
        call throws(SimulatorError) in
        try performanceTest(call)
      },
    ]
  }

  // No request is sent to the app's address: a test stays pending for ever.
  private func startPerformanceTest(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    guard let id = try call.body()["originalTransactionId"]?.stringValue else {
      throw .refusal(.invalidPerformanceTest)
    }
    _ = try call.transaction(id)
    let request = store.read { $0.identifiers.uuid(for: ["performance-test", id]) }
      .uuidString.lowercased()
    try store.changeRetention(.performanceTestAsked(request), of: call.app)
    return .json(["requestId": .string(request), "config": Self.performanceTerms])
  }

  private func performanceTest(_ call: ServerAPICall) throws(SimulatorError) -> HTTPResponse {
    let id = try call.uuid("id", else: .invalidRequestID)
    let found = store.retentionShelf(of: call.app).performanceTests.last { $0.id == id }
    guard let found else { throw .refusal(.performanceTestNotFound) }
    return .json([
      "config": Self.performanceTerms, "target": .string(found.target), "result": "PENDING",
      "successRate": 0, "numPending": 100,
    ])
  }

  private static let performanceTerms: JSONValue = [
    "maxConcurrentRequests": 10, "totalRequests": 100, "totalDuration": 60_000,
    "responseTimeThreshold": 700, "successRateThreshold": 99,
  ]

  /// Groups, of which the sandbox knows one that stands for all.
  var groupRoutes: [Route] {
    [
      route(.get, "/groups/v1/currentGroups/:id", .fifty) { call throws(SimulatorError) in
        _ = try call.holder(of: call.parameters["id"])
        let isSandbox = store.configuration.environment != .production
        return .json(["groupIds": isSandbox ? [.string(Self.groupID)] : []])
      },
      route(.get, "/groups/v1/group/:id", .fifty) { call throws(SimulatorError) in
        let id = call.parameters["id"]
        _ = try call.checked(id, else: .invalidGroup)
        guard id == Self.groupID, store.configuration.environment != .production else {
          throw .refusal(.groupNotFound)
        }
        return .json(["groupId": .string(id), "hasMore": false, "transactions": []])
      },
    ]
  }

  /// The group that the sandbox answers with.
  private static let groupID = "900000000000000000"
}

extension ServerAPICall {
  /// A part of the path that is a UUID, in lower case.
  func uuid(
    _ name: String,
    else refusal: ServerAPIAnswer = .generalBadRequest
  ) throws(SimulatorError) -> String {
    guard let uuid = UUID(uuidString: parameters[name]) else { throw .refusal(refusal) }
    return uuid.uuidString.lowercased()
  }
}
