import AppStore

/// The groups of subscriptions for several people. Apple has them in the sandbox only (App Store Server API 1.22).
extension LocalAppStore {
  /// The id of the group of a subscription: any text that is one to one.
  private static func id(of subscription: OriginalTransaction) -> String {
    "G" + String(subscription.id, radix: 36, uppercase: true)
  }

  /// Answers with the groups to which an account belongs, as the purchaser or as a member.
  func customerGroups(_ id: String) throws -> APIResponse {
    guard simulation.rate != .realTime else { throw NotFound() }
    let found = try find(id)
    let subscriptions = found.encoder.store.subscriptions
    let groups = subscriptions.filter { subscription in
      isGroup(subscription)
        && (subscription.account == found.account
          || members(of: subscription, subscriptions).contains { $0 == found.account })
    }
    var text = JSONWriter()
    text.add(
      "groups",
      json: JSONWriter.array(
        groups.map { subscription in
          var text = JSONWriter()
          text.add("groupId", Self.id(of: subscription))
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
      case let store = encoder(of: customer).store,
      let subscription = store.subscriptions.first(where: { $0.id == number }),
      isGroup(subscription)
    else { throw APIError.groupNotFound }
    var after = 0
    if let token = request.values("paginationToken").first {
      guard let position = try? Revision(token, of: [id]).position else { throw APIError.invalidPaginationToken }
      after = Int(position.id)
    }
    let members = members(of: subscription, store.subscriptions)
    let page = members.dropFirst(after).prefix(limit)
    let hasMore = members.count > after + page.count
    var text = JSONWriter()
    text.add(
      "members",
      json: JSONWriter.array(
        page.map { account in
          var text = JSONWriter()
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
  private func isGroup(_ subscription: OriginalTransaction) -> Bool {
    subscription.seating?.management == .apple && [.active, .gracePeriod].contains(subscription.state)
  }

  /// Returns the accounts with a seat of a subscription.
  private func members(of subscription: OriginalTransaction, _ subscriptions: [OriginalTransaction]) -> [Int] {
    subscriptions.filter { one in
      one.isAssigned && one.sharedFrom.map { subscriptions[$0].id == subscription.id } ?? false && one.state == .active
    }.map(\.account)
  }
}
