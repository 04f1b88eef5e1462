import HTTPValues
import IAPModel

/// Writes the route table as an OpenAPI document, so that the two cannot disagree.
///
/// - **Source:** OpenAPI 3.1.
enum OpenAPIDocument {
  static func route(describing routes: [Route], parts: ServerParts) -> Route {
    func make(_ document: @escaping @Sendable () -> JSONObject) -> Route {
      Route(
        .get,
        "/openapi.json",
        "Shows this document.",
        access: .open,
        answers: [Route.Answer(200, .anything)],
        run: { _ async throws(ServerError) in .whole(.json(200, document().serialized)) }
      )
    }
    // The document describes its own route too.
    let all = routes + [make { [:] }]
    let isSimulated = parts.configuration.isSimulated
    // Written when somebody asks for it: a server starts without it.
    return make { object(all, isSimulated: isSimulated) }
  }

  static func object(_ routes: [Route], isSimulated: Bool) -> JSONObject {
    var paths = JSONObject()
    for route in routes {
      var path = paths[route.path]?.objectValue ?? [:]
      path[route.method.rawValue.lowercased()] = .object(operation(route))
      paths[route.path] = .object(path)
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "IAPKit entitlement server", "version": "1",
        "description": .string(
          "Verifies purchases, takes the App Store's notifications and knows who has what. "
            + "Dates are UNIX milliseconds."
            + (isSimulated ? " This server trusts simulated stores." : "")
        ),
      ],
      "paths": .object(paths),
      "components": [
        "securitySchemes": [
          "key": [
            "type": "http", "scheme": "bearer",
            "description": "A key of the app (public) or of its backend (secret).",
          ],
          "customer": [
            "type": "apiKey", "in": "header", "name": "Customer-Token",
            "description": "Opens one customer's own data.",
          ],
        ],
        "schemas": ["Error": .object(errorSchema)],
      ],
    ]
  }

  private static func operation(_ route: Route) -> JSONObject {
    var operation: JSONObject = [
      "operationId": .string(operationName(route)), "summary": .string(route.summary),
      "x-access": .string(route.access.rawValue),
    ]
    let parameters = pathParameters(route) + route.parameters.map(parameter) + repetition(route)
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let shape = route.body.shape {
      operation["requestBody"] = [
        "required": true, "content": ["application/json": ["schema": shape.schema]],
      ]
    }
    operation["responses"] = .object(responses(route))
    operation["security"] = security(route.access)
    return operation
  }

  /// `GET /v1/customers/{id}` becomes `getV1CustomersById`.
  private static func operationName(_ route: Route) -> String {
    let words = route.segments.map { segment in
      segment.hasPrefix("{") ? "by-" + segment.dropFirst().dropLast() : String(segment)
    }
    return words.flatMap { $0.split { $0 == "-" || $0 == "." } }.reduce(
      route.method.rawValue.lowercased()
    ) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }

  private static func pathParameters(_ route: Route) -> [JSONValue] {
    route.pathParameters.map { name in
      [
        "name": .string(name), "in": "path", "required": true,
        "schema": Shape.text(max: 1024).schema,
      ]
    }
  }

  private static func parameter(_ parameter: Route.Parameter) -> JSONValue {
    [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
      "required": false, "description": .string(parameter.note), "schema": parameter.shape.schema,
    ]
  }

  private static func repetition(_ route: Route) -> [JSONValue] {
    guard route.repetition != .reads else { return [] }
    return [
      parameter(
        .header(
          "Idempotency-Key",
          "Names the request, so that sending it again changes nothing again."
        )
      )
    ]
  }

  private static func responses(_ route: Route) -> JSONObject {
    var responses = JSONObject()
    for answer in route.answers {
      var response: JSONObject = ["description": "As the summary says."]
      var content = JSONObject()
      if let shape = answer.shape {
        content[answer.mediaType] = ["schema": shape.schema]
      } else if answer.mediaType != "application/json" {
        content[answer.mediaType] = ["schema": ["type": "string"]]
      }
      if let alternative = answer.alternative {
        content[alternative] = ["schema": ["type": "string"]]
      }
      if !content.isEmpty { response["content"] = .object(content) }
      responses["\(answer.status)"] = .object(response)
    }
    for status in errors(of: route) {
      responses["\(status)"] = [
        "description": .string(reason(status)),
        "content": [
          "application/json": ["schema": ["$ref": "#/components/schemas/Error"]]
        ],
      ]
    }
    return responses
  }

  /// Every error that a route may answer with: its own, and what comes with what it is.
  static func errors(of route: Route) -> [Int] {
    var statuses: Set<Int> = Set(route.errors).union([400, 405, 431, 503])
    if route.access != .open, route.access != .apple { statuses.formUnion([401, 403, 429]) }
    if route.body != .none { statuses.formUnion([413, 415]) }
    if route.repetition != .reads { statuses.insert(409) }
    return statuses.sorted()
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 400: "The request has to be changed."
    case 401: "Who calls has to show who it is."
    case 403: "Who calls may not do that."
    case 404: "There is nothing there."
    case 405: "The route does not know the method."
    case 409: "What is there contradicts the request."
    case 412, 428: "The version that is named is not the one that is there, or none is named."
    case 413: "The body is too long."
    case 415: "The body is no JSON."
    case 429: "There were too many requests."
    case 431: "The header is too long."
    case 501: "This server cannot do that."
    default: "It was not possible to look or to store; the same request may succeed later."
    }
  }

  private static func security(_ access: Route.Access) -> JSONValue {
    switch access {
    case .open, .apple: []
    case .app, .backend: [["key": []]]
    case .customer: [["key": [], "customer": []]]
    }
  }

  private static let errorSchema: JSONObject = [
    "type": "object", "required": ["error"],
    "properties": [
      "error": [
        "type": "object", "required": ["type", "code", "message", "request_id"],
        "properties": [
          "type": ["type": "string"], "code": ["type": "string"], "message": ["type": "string"],
          "param": ["type": "string"], "request_id": ["type": "string"],
        ],
      ]
    ],
  ]
}
