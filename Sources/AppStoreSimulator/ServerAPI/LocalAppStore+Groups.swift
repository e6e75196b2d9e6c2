import AppStore

/// The groups of subscriptions for several people. Apple has them in the sandbox only (App Store Server API 1.22).
extension LocalAppStore {
  /// The id of the group of a subscription: any text that is one to one.
  private static func id(of line: OriginalTransaction) -> String { "G" + String(line.id, radix: 36, uppercase: true) }

  /// Answers with the groups to which an account belongs, as the purchaser or as a member.
  func customerGroups(_ id: String) throws -> APIResponse {
    guard simulation.rate != .realTime else { throw NotFound() }
    let found = try find(id)
    let lines = found.encoder.store.lines
    let groups = lines.filter { line in
      isGroup(line) && (line.account == found.account || members(of: line, lines).contains { $0 == found.account })
    }
    var text = JSONText()
    text.add(
      "groups",
      json: JSONText.array(
        groups.map { line in
          var text = JSONText()
          text.add("groupId", Self.id(of: line))
          text.add("groupType", "CONSUMER")
          return text.finished
        }))
    return APIResponse(200, text.finished)
  }

  /// Answers with a page of the members of a group.
  func groupMembers(_ id: String, _ request: APIRequest) throws -> APIResponse {
    guard simulation.rate != .realTime else { throw NotFound() }
    guard id.hasPrefix("G"), let number = Int64(id.dropFirst(), radix: 36) else { throw APIError.invalidGroupID }
    let limit = Int(request.values("limit").first ?? "100") ?? 0
    guard (1...100).contains(limit) else { throw APIError.invalidPageLimit }
    guard let customer = simulation.customer(of: number),
      case let store = encoder(of: customer).store, let line = store.lines.first(where: { $0.id == number }),
      isGroup(line)
    else { throw APIError.groupNotFound }
    var after = 0
    if let token = request.values("paginationToken").first {
      guard let position = try? Revision(token, of: [id]).position else { throw APIError.invalidPaginationToken }
      after = Int(position.id)
    }
    let members = members(of: line, store.lines)
    let page = members.dropFirst(after).prefix(limit)
    let hasMore = members.count > after + page.count
    var text = JSONText()
    text.add(
      "members",
      json: JSONText.array(
        page.map { account in
          var text = JSONText()
          text.add("appTransactionId", String(store.accounts[account].appTransactionID))
          return text.finished
        }))
    text.add("hasMore", hasMore)
    if hasMore {
      text.add("paginationToken", Revision(after: .init(at: clock, id: Int64(after + page.count)), of: [id]).text)
    }
    return APIResponse(200, text.finished)
  }

  /// Whether a subscription has a group that Apple manages. It ends with the subscription.
  private func isGroup(_ line: OriginalTransaction) -> Bool {
    line.seating?.management == .apple && [.active, .gracePeriod].contains(line.state)
  }

  /// Returns the accounts with a seat of a subscription.
  private func members(of line: OriginalTransaction, _ lines: [OriginalTransaction]) -> [Int] {
    lines.filter { one in
      one.isAssigned && one.sharedFrom.map { lines[$0].id == line.id } ?? false && one.state == .active
    }.map(\.account)
  }
}
