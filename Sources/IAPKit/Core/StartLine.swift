/// What the log says at the start.
struct StartLine {
  /// How many product ids the line names.
  static let idsShownMax = 20

  let productIds: [String]
  let surroundings: StoreSurroundings
  let openOrders: Int
  let unfinishedRecords: Int

  /// Environment, storefront, generation, products and what is left to do.
  var text: String {
    let shown = productIds.prefix(Self.idsShownMax).joined(separator: " ")
    let more = productIds.count > Self.idsShownMax ? " and others" : ""
    return "started: \(surroundings.text(.english)), \(productIds.count) products \(shown)\(more),"
      + " open orders \(openOrders), unfinished records \(unfinishedRecords)"
  }
}
