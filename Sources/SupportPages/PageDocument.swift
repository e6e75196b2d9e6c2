package import AppStore
internal import LedgerPresentation

/// A page: what every page has, and its own content.
package struct PageDocument {
  /// A link with its text.
  package struct Link: Sendable, Equatable {
    package var text: String
    package var target: String

    package init(_ text: String, _ target: String) { (self.text, self.target) = (text, target) }

    /// Creates a link to a purchase, with its id as the text.
    init(purchase id: String, _ query: [(name: String, value: String)] = []) {
      self.init(Printable.text(id), PageAddress.purchase(id, query))
    }
  }

  /// A link among others, one of which leads to what the page shows.
  struct Tab {
    let text: String
    let target: String
    let isCurrent: Bool
  }

  /// The user who is signed in.
  package struct User: Sendable {
    let name: String
    let role: String
    let formToken: String
    /// The pages of the role, beside the search.
    let pages: [Link]

    package init(name: String, role: String, formToken: String, pages: [Link]) {
      (self.name, self.role, self.formToken, self.pages) = (Printable.text(name), role, formToken, pages)
    }
  }

  /// An instant as text and as HTML states it.
  struct Moment: Sendable {
    let iso: String
    let text: String

    init(_ instant: Instant) { (iso, text) = (instant.description, Messages.instant(instant)) }
  }

  let title: String
  let user: User?
  /// What was looked up, for the field of the head.
  let query: String
  let now: Moment
  let content: Any

  /// Creates a page with its content.
  /// - Parameters:
  ///   - title: the title.
  ///   - user: the user; `nil` for a page without sign-in.
  ///   - now: the present instant.
  ///   - content: a value whose properties the template names.
  package init(_ title: String, user: User?, now: Instant, query: String = "", content: Any) {
    (self.title, self.user, self.query) = (Printable.text(title), user, Printable.text(query))
    (self.now, self.content) = (Moment(now), content)
  }
}
