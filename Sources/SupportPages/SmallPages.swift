package import AppStore
package import Ledger
package import LedgerPresentation

/// A form that arrived after the end of a session.
package struct UnsentForm {
  let path: String
  let fields: [(name: String, value: String)]

  /// Creates a form from where it was sent, and what it had.
  package init(path: String, fields: [(name: String, value: String)]) { (self.path, self.fields) = (path, fields) }
}

/// The page that shows such a form again, after the sign-in.
package struct UnsentPage {
  struct Field {
    let name: String
    let value: String
  }

  let target: String
  let fields: [Field]
  let shown: [Fact]
  let formToken: String

  /// Creates the page of a form, with the token of the new session.
  package init(_ form: UnsentForm, formToken: String) {
    (target, self.formToken) = (form.path, formToken)
    fields = form.fields.map { Field(name: $0.name, value: $0.value) }
    shown = form.fields.filter { $0.name != "request_key" && !$0.value.isEmpty }.compactMap {
      Fact($0.name.replacing("_", with: " "), Printable.lines($0.value))
    }
  }
}

/// The page on which a user signs in.
package struct SignInPage {
  let fault: String?
  let name: String
  /// The address of the page that the user wanted; empty for the first page.
  let next: String?
  /// The form that waits for the sign-in, as the fields of this form have it.
  let unsentPath: String?
  let unsentFields: String?

  /// Creates the page of a sign-in.
  /// - Parameters:
  ///   - fault: why the user must sign in again.
  ///   - name: the name that the user wrote.
  ///   - next: the address to which the sign-in leads.
  ///   - unsent: a form that waits for the sign-in.
  package init(fault: String? = nil, name: String = "", next: String? = nil, unsent: UnsentForm? = nil) {
    (self.fault, self.name, self.next) = (fault, name, next)
    (unsentPath, unsentFields) = (unsent?.path, unsent.map { PageAddress.query($0.fields) })
  }
}

/// A page that reports a fault.
package struct ProblemPage {
  let heading: String
  let detail: String
  let requestID: String

  package init(heading: String, detail: String, requestID: String) {
    (self.heading, self.detail, self.requestID) = (heading, Printable.text(detail), requestID)
  }
}

/// The form that asks Apple about an id at once.
package struct AskForm {
  let id: String
  let button: String
  let note: String
  let formToken: String

  /// Creates the form of an id.
  /// - Parameters:
  ///   - id: a transaction id, or the order id of a receipt by mail.
  ///   - formToken: the token of the session's forms.
  package init(_ id: String, formToken: String) {
    (self.id, self.formToken) = (id, formToken)
    let isOrder = id.contains(where: \.isLetter)
    button = isOrder ? "Look the order \(Printable.text(id)) up at Apple" : "Ask Apple now about \(Printable.text(id))"
    note =
      isOrder
      ? "Apple answers with the purchases of the order."
      : "Apple answers with the present state of the purchase. The answer is recorded as evidence."
  }
}

/// The page with which a search begins.
package struct SearchPage {
  struct Recent {
    let target: String
    let text: String
    let at: String
  }

  let recent: [Recent]

  /// Creates the page of a user.
  /// - Parameter recent: what the user opened last: a customer or a purchase, and when.
  package init(recent: [(customer: String?, originalTransactionID: String?, at: Instant)]) {
    self.recent = recent.compactMap { item in
      let target =
        item.customer.map { PageAddress.person($0) } ?? item.originalTransactionID.map { PageAddress.purchase($0) }
      guard let target, let text = item.customer ?? item.originalTransactionID else { return nil }
      return Recent(target: target, text: Printable.text(text), at: Messages.instant(item.at))
    }
  }
}

/// What a search found.
package struct ResultsPage {
  struct Row {
    let found: String
    let id: String
    let target: String?
    let environment: String
    let product: String
    let state: String
  }

  struct Mention {
    let id: String
    let target: String
    let text: String
  }

  let heading: String
  let rows: [Row]
  let mentions: [Mention]
  /// The texts that were tried, for a search that found nothing.
  let tried: String
  let isFound: Bool
  /// What Apple can be asked about, where nothing was found.
  let asks: [AskForm]

  /// Creates the page of what was found.
  /// - Parameter asks: the forms that ask Apple about what was not found.
  package init(_ rows: [MatchRow], mentions: [CustomerMention], tried: [String], asks: [AskForm]) {
    self.rows = rows.map { row in
      Row(
        found: row.match.kind, id: Printable.text(row.match.identifier), target: Self.target(row.match),
        environment: row.environment ?? "", product: row.summary?.productID.map(Printable.text) ?? "",
        state: row.summary?.state.map(Messages.plainState) ?? "")
    }
    self.mentions = mentions.map {
      Mention(id: Printable.text($0.customer), target: PageAddress.person($0.customer), text: Printable.lines($0.text))
    }
    self.tried = tried.map(Printable.text).joined(separator: ", ")
    let count = rows.count + mentions.count
    (isFound, self.asks) = (count > 0, asks)
    heading = count == 0 ? "Nothing found" : count == 1 ? "1 match" : "\(count) matches"
  }

  /// Returns the page of a match; `nil` where there is none.
  package static func target(_ match: Match) -> String? {
    switch match {
    case .customer(let id): PageAddress.person(id)
    case .purchase(let purchase): PageAddress.purchase(purchase.originalTransactionID)
    case .payload(let digest): PageAddress.payload(digest)
    case .notification, .order, .unread: nil
    }
  }
}
