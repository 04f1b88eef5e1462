import Foundation
import HTTPValues
import IAPModel
import IAPSignatures

// What goes wrong, what is sent, what was written down and what is signed.
extension ControlRoutes {
  var outsideRoutes: [Route] {
    [
      Route(.get, "/control/faults") { _, _ in .json(store.faults.json) },
      Route(.put, "/control/faults") { request, _ throws(SimulatorError) in
        let faults = try StoreFaults(request)
        for device in faults.offlineDevices.sorted() { _ = try store.device(device) }
        store.setFaults(faults)
        return .json(store.faults.json)
      },
      Route(.get, "/control/notifications") { _, _ in
        .json(.array(store.notifications.map(\.json)))
      },
      Route(.put, "/control/notifications/url") { request, _ throws(SimulatorError) in
        try setNotificationURL(request)
      },
      Route(.post, "/control/notifications/test") { request, _ throws(SimulatorError) in
        let body = try ControlBody(request, allowed: ["bundleId"])
        let app = try body.text("bundleId").map { BundleID($0) }
        let uuid = try store.requestTestNotification(app: app)
        return .json(["notificationUUID": .string(uuid.rawValue)])
      },
      Route(.post, "/control/notifications/drain") { _, _ in
        await store.drainNotifications()
        return .json(.array(store.notifications.map(\.json)))
      },
      Route(.get, "/control/history") { request, _ throws(SimulatorError) in
        try history(request)
      },
    ]
  }

  var signedRoutes: [Route] {
    [
      Route(.get, "/control/roots/:file") { _, path throws(SimulatorError) in
        try root(path["file"])
      },
      Route(.get, "/control/devices/:device/receipt") { _, path throws(SimulatorError) in
        let receipt = try store.receipt(on: DeviceID(path["device"]))
        return .json([
          "receipt": receipt.map { .string(Base64.encode($0, .standard)) } ?? .null
        ])
      },
      Route(.get, "/control/transactions/:id/receipt") { _, path throws(SimulatorError) in
        let bytes = try store.transactionReceipt(TransactionID(path["id"]))
        return .json(["receipt": .string(Base64.encode(bytes, .standard))])
      },
      Route(.get, "/control/devices/:device/app-transaction") { _, path throws(SimulatorError) in
        let signed = try store.signedAppTransaction(on: DeviceID(path["device"]))
        return .json(["signedAppTransaction": .string(signed)])
      },
    ]
  }

  private func setNotificationURL(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let body = try ControlBody(request, allowed: ["url", "bundleId", "version"])
    let app = try body.text("bundleId").map { BundleID($0) }
    let number = try body.integer("version") ?? 2
    guard let version = NotificationVersion(rawValue: Int(clamping: number)) else {
      throw SimulatorError(.badRequest, "version is 1 or 2")
    }
    var url: URL?
    if let text = try body.text("url") {
      guard let found = URL(string: text), let scheme = found.scheme, found.host != nil,
        ["http", "https"].contains(scheme.lowercased())
      else { throw SimulatorError(.badRequest, "url is no http or https address") }
      url = found
    }
    try store.setNotificationURL(url, app: app)
    try store.setNotificationVersion(version, app: app)
    return .json([
      "url": url.map { .string($0.absoluteString) } ?? .null, "version": .integer(number),
    ])
  }

  private func history(_ request: HTTPRequest) throws(SimulatorError) -> HTTPResponse {
    let text = request.queryValue("from") ?? "0"
    guard let first = Int(text), first >= 0 else {
      throw SimulatorError(.badRequest, "from is a line number from 0")
    }
    let entries = store.history
    let part = entries.dropFirst(first).prefix(Self.historyCountMax)
    var members = WireMembers()
    members.value("entries", .array(part.map { .object($0.json) }))
    members.integer("count", Int64(entries.count))
    return .json(.object(members.object))
  }

  private func root(_ file: String) throws(SimulatorError) -> HTTPResponse {
    let parts = file.split(separator: ".").map(String.init)
    let der: [UInt8]
    switch parts.first {
    case "jws": der = store.jwsRootCertificate
    case "receipt": der = try store.receiptRootCertificate()
    default:
      throw SimulatorError(.badRequest, "roots are jws.der, jws.pem, receipt.der, receipt.pem")
    }
    switch parts.dropFirst().first {
    case "der":
      return HTTPResponse(
        status: 200,
        headers: ["Content-Type": "application/pkix-cert"],
        body: der
      )
    case "pem": return .text(200, Self.pem(der))
    default:
      throw SimulatorError(.badRequest, "roots are jws.der, jws.pem, receipt.der, receipt.pem")
    }
  }
}

extension ControlRoutes {
  /// A certificate between lines of dashes, 64 characters a line.
  static func pem(_ der: [UInt8], label: String = "CERTIFICATE") -> String {
    let text = Base64.encode(der, .standard)
    var lines = ["-----BEGIN \(label)-----"]
    var rest = Substring(text)
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
  }
}

extension StoreFaults {
  private static let members = [
    "offlineDevices", "storeUnreachable", "signature", "purchaseFailure", "interruptsPurchases",
    "duplicatesNotifications", "reordersNotifications", "notificationFailure",
    "losesNotificationAnswers", "revokesCertificate",
  ]

  /// Faults as a request has them; what is left out does not go wrong.
  init(_ request: HTTPRequest) throws(SimulatorError) {
    let body = try ControlBody(request, allowed: Self.members)
    self.init()
    offlineDevices = Set((try body.texts("offlineDevices") ?? []).map { DeviceID($0) })
    isStoreUnreachable = try body.bool("storeUnreachable") ?? false
    if let text = try body.text("signature") {
      guard let signature = Signature(rawValue: text) else {
        let known = Signature.allCases.map(\.rawValue).joined(separator: ", ")
        throw SimulatorError(.badRequest, "signature is one of \(known)")
      }
      self.signature = signature
    }
    if let text = try body.text("purchaseFailure") {
      guard let failure = StoreFailure(rawValue: text) else {
        let known = StoreFailure.allCases.map(\.rawValue).joined(separator: ", ")
        throw SimulatorError(.badRequest, "purchaseFailure is one of \(known)")
      }
      purchaseFailure = failure
    }
    interruptsPurchases = try body.bool("interruptsPurchases") ?? false
    duplicatesNotifications = try body.bool("duplicatesNotifications") ?? false
    reordersNotifications = try body.bool("reordersNotifications") ?? false
    losesNotificationAnswers = try body.bool("losesNotificationAnswers") ?? false
    revokesCertificate = try body.bool("revokesCertificate") ?? false
    if let text = try body.text("notificationFailure") {
      let failures = SendAttemptResult.allCases.filter {
        $0 != .success && $0 != .unsuccessfulStatus
      }
      guard let failure = failures.first(where: { $0.rawValue == text }) else {
        let known = failures.map(\.rawValue).joined(separator: ", ")
        throw SimulatorError(.badRequest, "notificationFailure is one of \(known)")
      }
      notificationFailure = failure
    }
  }

  var json: JSONValue {
    var members = WireMembers()
    let offline = offlineDevices.sorted().map { JSONValue.string($0.rawValue) }
    members.value("offlineDevices", .array(offline))
    members.bool("storeUnreachable", isStoreUnreachable)
    members.text("signature", signature.rawValue)
    members.text("purchaseFailure", purchaseFailure?.rawValue)
    members.bool("interruptsPurchases", interruptsPurchases)
    members.bool("duplicatesNotifications", duplicatesNotifications)
    members.bool("reordersNotifications", reordersNotifications)
    members.text("notificationFailure", notificationFailure?.rawValue)
    members.bool("losesNotificationAnswers", losesNotificationAnswers)
    members.bool("revokesCertificate", revokesCertificate)
    return .object(members.object)
  }
}
