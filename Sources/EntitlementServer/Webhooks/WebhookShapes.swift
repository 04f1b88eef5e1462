import IAPModel
import ServerStorage

/// What endpoints and deliveries look like on the wire.
enum WebhookShapes {
  private static let typeWord = Shape.word(EventType.all.map(\.rawValue))

  private static func fields(_ limits: WebhookLimits) -> [Shape.Field] {
    [
      .optional("types", .list(typeWord, max: limits.typesMax)),
      .optional("note", .text(max: limits.noteBytesMax)),
    ]
  }

  static func creation(_ limits: WebhookLimits) -> Shape {
    .exactly([.required("url", .text(max: WebhookAddress.bytesMax))] + fields(limits))
  }

  static func change(_ limits: WebhookLimits) -> Shape {
    .exactly(
      [
        .optional("url", .text(max: WebhookAddress.bytesMax)), .optional("enabled", .bool),
      ] + fields(limits)
    )
  }

  static func rotation(_ limits: WebhookLimits) -> Shape {
    .exactly([
      .optional("overlapSeconds", .integer(0...Int64(limits.overlapSecondsMax)))
    ])
  }

  static let replay = Shape.exactly([
    .optional("after", .count), .optional("since", .date), .optional("deadLetters", .bool),
    .optional("event", .text(max: 64)),
  ])

  static let endpoint = Shape.object([
    .required("id", .text(max: 64)), .required("url", .text(max: WebhookAddress.bytesMax)),
    .required("types", .list(.text(max: 64), max: 64)), .required("enabled", .bool),
    .optional("reason", .text(max: 64)), .optional("note", .text(max: 256)),
    .required("createdDate", .date), .required("secrets", .list(.anything, max: 16)),
    .optional("secret", .text(max: 128)), .required("pending", .count),
    .required("held", .count), .optional("oldestDate", .date),
    .required("delivered", .count), .required("deadLetters", .count),
    .required("cursor", .count), .optional("lastSuccessDate", .date),
    .optional("lastFailureDate", .date), .optional("pausedUntil", .date),
  ])

  static let delivery = Shape.object([
    .required("event", .text(max: 64)), .required("type", .text(max: 64)),
    .required("sequence", .count),
    .required("state", .word(WebhookDelivery.State.allCases.map(\.rawValue))),
    .required("attemptCount", .count), .required("attempts", .list(.anything, max: 100)),
  ])

  /// What the API shows of an endpoint; the secret only when it was just made.
  static func answer(
    _ endpoint: WebhookEndpoint,
    _ progress: WebhookProgress,
    _ backlog: WebhookBacklog,
    secret: String? = nil
  ) -> JSONObject {
    var answer = AnswerMembers()
    answer.add("id", .string(endpoint.id.rawValue))
    answer.add("url", .string(endpoint.url))
    answer.add("types", .array(endpoint.types.map { .string($0.rawValue) }))
    answer.add("enabled", .bool(endpoint.state == .enabled))
    answer.add("reason", endpoint.reason)
    answer.add("note", endpoint.note)
    answer.add("createdDate", endpoint.createdDate)
    answer.add(
      "secrets",
      .array(
        endpoint.secrets.map { secret in
          var object: JSONObject = ["createdDate": .integer(secret.createdDate.milliseconds)]
          object["until"] = secret.until.map { .integer($0.milliseconds) }
          return .object(object)
        }
      )
    )
    answer.add("secret", secret)
    answer.add("pending", .integer(backlog.pending))
    answer.add("held", .integer(backlog.heldLanes))
    answer.add("oldestDate", backlog.oldest)
    answer.add("delivered", .integer(progress.delivered))
    answer.add("deadLetters", .integer(progress.dead))
    answer.add("cursor", .integer(progress.position))
    answer.add("lastSuccessDate", progress.lastSuccess)
    answer.add("lastFailureDate", progress.lastFailure)
    answer.add("pausedUntil", progress.pausedUntil)
    return answer.object
  }
}
