internal import Charts
internal import Mustache

/// The templates of all pages. They are part of the program.
package struct PageTemplates: Sendable {
  /// A page by the name of its template.
  package enum Name: String, Sendable, CaseIterable {
    case signIn = "sign-in"
    case endGrant = "end-grant"
    case accessLog = "access-log"
    case appleAct = "apple-act"
    case search, results, person, purchase, why, compare, evidence
    case grant, link, unlink, forget, unsent, refunds
    case reports, health, problem
  }

  private let library: MustacheLibrary

  /// Reads the templates of all pages.
  /// - Throws: an error of a template, which is a bug.
  package init() throws {
    MustacheContentTypes.register(EscapedHTML(), named: "PAGE")
    let texts: [String: [UInt8]] = [
      "layout": PackageResources.layout_mustache, "sign-in": PackageResources.sign_in_mustache,
      "search": PackageResources.search_mustache, "results": PackageResources.results_mustache,
      "person": PackageResources.person_mustache, "purchase": PackageResources.purchase_mustache,
      "why": PackageResources.why_mustache, "problem": PackageResources.problem_mustache,
      "grant": PackageResources.grant_mustache, "end-grant": PackageResources.end_grant_mustache,
      "evidence": PackageResources.evidence_mustache, "access-log": PackageResources.access_log_mustache,
      "compare": PackageResources.compare_mustache, "events": PackageResources.events_mustache,
      "link": PackageResources.link_mustache, "unlink": PackageResources.unlink_mustache,
      "forget": PackageResources.forget_mustache, "faults": PackageResources.faults_mustache,
      "purchase-lines": PackageResources.purchase_lines_mustache, "ask": PackageResources.ask_mustache,
      "unsent": PackageResources.unsent_mustache, "reports": PackageResources.reports_mustache,
      "refunds": PackageResources.refunds_mustache, "apple-act": PackageResources.apple_act_mustache,
      "health": PackageResources.health_mustache,
      "timebar": PackageResources.timebar_mustache, "timeline": PackageResources.timeline_mustache,
    ]
    library = MustacheLibrary(
      templates: try texts.mapValues { try MustacheTemplate(string: String(decoding: $0, as: UTF8.self)) })
  }

  /// Returns a page as HTML.
  package func render(_ name: Name, _ document: PageDocument) -> String {
    library.render(document, withTemplate: name.rawValue) ?? ""
  }

  /// The style sheet of all pages, with that of the charts.
  package static let style: [UInt8] = PackageResources.style_css + Array(ChartPage.drawingStyle.utf8)
}

/// Text for HTML. The library's own type looks at whole characters, so a quotation mark with an accent would pass it, and
/// end an attribute in a browser, which looks at each scalar.
struct EscapedHTML: MustacheContentType {
  func escapeText(_ text: String) -> String { escapedMarkup(text) }
}
