package import AppStore
package import Ledger
internal import LedgerPresentation

/// A fault of a form, with the field that has it.
package struct FieldFault: Sendable, Equatable {
  package let field: String
  package let text: String

  package init(_ field: String, _ text: String) { (self.field, self.text) = (field, text) }

  /// The reason of an act is missing.
  package static let missingReason = FieldFault("reason", "Write a reason, for people who read it later.")
}

/// A choice of a list in a form.
package struct FormChoice: Sendable {
  let value: String
  let text: String
  let isChosen: Bool

  package init(_ value: String, _ text: String, isChosen: Bool) {
    (self.value, self.text, self.isChosen) = (value, text, isChosen)
  }
}

/// The lengths of a grant that a form offers.
package enum GrantLength: String, CaseIterable, Sendable {
  case day = "1d"
  case threeDays = "3d"
  case week = "7d"
  case month = "30d"
  case quarter = "90d"
  case year = "365d"

  /// How many days it has.
  package var days: Int64 { Int64(rawValue.dropLast()) ?? 0 }

  var text: String { Messages.count(Int(days), "day") }
}

/// What a user wrote into the form of a grant.
package struct GrantFields: Sendable {
  package var entitlement: String
  package var length: String
  package var day: String
  package var reason: String
  package var ticket: String

  package init(entitlement: String, length: String, day: String, reason: String, ticket: String) {
    (self.entitlement, self.length, self.day, self.reason, self.ticket) = (entitlement, length, day, reason, ticket)
  }
}

/// The page on which a user grants access: a form, and what it would do.
package struct GrantPage {
  /// The grant that a user is about to make.
  package struct Preview {
    let before: String
    let after: String
    let reason: String
    let entitlement: String
    let until: String
    let target: String
    let formToken: String
    let requestKey: String

    /// Creates a preview from checked fields.
    /// - Parameters:
    ///   - access: what the customer has of this entitlement; `nil` for nothing.
    ///   - entitlement: the name of the entitlement.
    ///   - end: when the grant ends.
    ///   - reason: the reason, with the ticket.
    ///   - target: the address that makes the grant.
    ///   - formToken: the token of the session's forms.
    ///   - requestKey: a name for the request, so that it counts once.
    package init(
      _ access: CustomerAccess?, entitlement: String, until end: Instant, reason: String, target: String,
      formToken: String, requestKey: String
    ) {
      let name = Printable.text(entitlement)
      before = access.map { Messages.answer($0) } ?? "Has no \(name)."
      let isLonger = access.map { $0.hasAccess && $0.accessEndsAt.map { $0 >= end } ?? true } ?? false
      after =
        isLonger
        ? "The same: the present access ends later than the grant."
        : "Has \(name) until \(Messages.instant(end)), by our own grant."
      (self.reason, self.entitlement, until) = (reason, entitlement, end.description)
      (self.target, self.formToken, self.requestKey) = (target, formToken, requestKey)
    }
  }

  let customer: String
  let person: String
  let form: String
  let faults: [FieldFault]
  let preview: Preview?
  let entitlements: [FormChoice]
  let lengths: [FormChoice]
  let day: String
  let reason: String
  let ticket: String
  let limit: String

  /// Creates the page with the fields that the user wrote.
  /// - Parameters:
  ///   - customer: the customer who gets the access.
  ///   - fields: what the user wrote before.
  ///   - entitlements: the names from which the user chooses.
  ///   - faults: what is wrong with the fields.
  ///   - preview: what the grant would do; `nil` before the fields are right.
  ///   - limit: what the user's role permits.
  package init(
    _ customer: String, _ fields: GrantFields, entitlements: [String], faults: [FieldFault], preview: Preview?,
    limit: String
  ) {
    self.customer = Printable.text(customer)
    (person, form) = (PageAddress.person(customer), PageAddress.grant(customer))
    (self.faults, self.preview, self.limit) = (faults, preview, limit)
    self.entitlements = entitlements.map { FormChoice($0, $0, isChosen: $0 == fields.entitlement) }
    lengths = GrantLength.allCases.map {
      FormChoice($0.rawValue, $0.text, isChosen: $0.rawValue == fields.length && fields.day.isEmpty)
    }
    (day, reason, ticket) = (fields.day, fields.reason, fields.ticket)
  }
}

/// The page on which a user ends the grants of an entitlement.
package struct EndGrantPage {
  let customer: String
  let entitlement: String
  let person: String
  let target: String
  let before: String
  let after: String
  let formToken: String
  let requestKey: String

  /// Creates the page of a customer's entitlement.
  /// - Parameters:
  ///   - customer: the customer.
  ///   - entitlement: the name of the entitlement.
  ///   - access: what the customer has of it now.
  ///   - formToken: the token of the session's forms.
  ///   - requestKey: a name for the request, so that it counts once.
  package init(
    _ customer: String, _ entitlement: String, _ access: CustomerAccess?, formToken: String, requestKey: String
  ) {
    (self.customer, self.entitlement) = (Printable.text(customer), Printable.text(entitlement))
    (person, target) = (PageAddress.person(customer), PageAddress.endGrant(customer, entitlement))
    (self.formToken, self.requestKey) = (formToken, requestKey)
    before = access.map { Messages.answer($0) } ?? "Has no \(Printable.text(entitlement))."
    after =
      access?.basis == .grant
      ? "The access ends, unless a purchase gives it." : "The same, because a purchase gives the access."
  }
}
