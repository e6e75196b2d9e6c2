/// Actions as a person types them, such as `buy monthly` and `refund 50%`.
extension Action {
  /// The actions in words, each with what it means, for a person at a prompt.
  public static let help = """
    The customer:
      buy PRODUCT [OFFER] [monthly]   buy, return, or change. The end of an id is enough (buy monthly).
      ask PRODUCT, approve, decline   Ask to Buy, and the family's answer.
      interrupt PRODUCT, finish       begin a purchase that must continue outside the app, and finish it.
      cancel, resume                  turn automatic renewal off, on.
      fail, resolve                   let the next payments fail; resolve the problem.
      change PRODUCT, redeem OFFER    change to another product of the group; redeem an offer for subscribers.
      agree, refuse                   answer a price increase.
      share, unshare, restore         Family Sharing. A restore makes a second transaction id.
    Seats, where one buys for many:
      buy-seats PRODUCT N [app]       buy N seats. Apple gives them to members, or the app does (app).
      add-seats N, reduce-seats N     add N seats at once; have N seats from the next period on.
      join, leave, reassign           a member joins or leaves; the seat goes to another member.
      refund-seats N, refund-all      refund N seats; refund every transaction of the period.
    Apple's support and the app's owner:
      ask-refund, decline-refund      request a refund; decline it.
      refund [earlier N] [app] [P%]   refund the last purchase or one N before it, for the app's fault, in part.
      reverse-refund                  reverse the refund.
      raise-price PERCENT [notice]    raise the price with consent, or only with a notice (notice).
      withdraw, extend DAYS, extend-all DAYS
    """

  /// Reads an action from its words.
  /// - Throws: ``ActionWordsError`` for words that are not an action, or lack a part of one.
  public init(words text: String) throws(ActionWordsError) {
    let words = text.split(separator: " ").map(String.init)
    guard let verb = words.first else { throw ActionWordsError("the action is empty") }
    self = try Self.read(verb, Array(words.dropFirst()))
  }

  private static func read(_ verb: String, _ words: [String]) throws(ActionWordsError) -> Action {
    func first(_ what: String) throws(ActionWordsError) -> String {
      guard let word = words.first else { throw ActionWordsError("\(verb) needs \(what)") }
      return word
    }
    func number(_ what: String) throws(ActionWordsError) -> Int64 {
      guard let number = Int64(try first(what)) else { throw ActionWordsError("\(verb) needs \(what)") }
      return number
    }
    switch verb {
    case "buy":
      let product = try first("a product")
      let rest = words.dropFirst()
      return .buy(product, offer: rest.first { $0 != "monthly" }, billedMonthly: rest.contains("monthly"))
    case "ask": return .askToBuy(try first("a product"))
    case "approve": return .answerAskToBuy(isApproved: true)
    case "decline": return .answerAskToBuy(isApproved: false)
    case "interrupt": return .interrupt(try first("a product"))
    case "finish": return .finishInterrupted
    case "cancel": return .cancel
    case "resume": return .resume
    case "fail": return .failPayments
    case "resolve": return .resolvePayment
    case "change": return .change(to: try first("a product"))
    case "redeem": return .redeem(try first("an offer"))
    case "agree": return .agreeToPrice
    case "refuse": return .refusePrice
    case "share": return .share
    case "unshare": return .stopSharing
    case "restore": return .restore
    case "buy-seats":
      guard words.count >= 2, let count = Int64(words[1]) else {
        throw ActionWordsError("buy-seats needs a product and a number of seats")
      }
      return .buySeats(words[0], seats: count, isManagedByDeveloper: words.contains("app"))
    case "add-seats": return .addSeats(try number("a number of seats"))
    case "reduce-seats": return .reduceSeats(to: try number("a number of seats"))
    case "refund-seats": return .refundSeats(try number("a number of seats"))
    case "refund-all": return .refundAll
    case "join": return .joinTeam
    case "leave": return .leaveTeam
    case "reassign": return .reassignSeat
    case "ask-refund": return .askForRefund
    case "decline-refund": return .declineRefund
    case "refund": return try refund(words)
    case "reverse-refund": return .reverseRefund
    case "raise-price":
      return .raisePrice(percent: try number("a percentage"), needsConsent: !words.contains("notice"))
    case "withdraw": return .withdrawProduct
    case "extend": return .extend(days: try number("a number of days"))
    case "extend-all": return .extendAll(days: try number("a number of days"))
    default: throw ActionWordsError("'\(verb)' is not an action")
    }
  }

  private static func refund(_ words: [String]) throws(ActionWordsError) -> Action {
    var before = 0
    var percentage: Int64?
    var position = 0
    var isAppsFault = false
    while position < words.count {
      let word = words[position]
      position += 1
      if word == "app" {
        isAppsFault = true
      } else if word == "earlier" {
        guard position < words.count, let count = Int(words[position]) else {
          throw ActionWordsError("refund earlier needs how many purchases before the last")
        }
        before = count
        position += 1
      } else if word.hasSuffix("%"), let percent = Int64(word.dropLast()), (1...100).contains(percent) {
        percentage = percent * 1000
      } else {
        throw ActionWordsError("refund takes earlier N, app and a share such as 50%")
      }
    }
    return .refund(before: before, isAppsFault: isAppsFault, percentage: percentage)
  }
}

/// The error for words that are not an action, or lack a part of one.
public struct ActionWordsError: Error, Sendable, Equatable {
  /// The problem as English text, without a full stop.
  public let message: String

  /// Creates an error from its words, without a full stop.
  public init(_ message: String) { self.message = message }
}
