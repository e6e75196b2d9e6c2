import AppStore
import AppStoreSimulator
import LedgerPresentation
import ProgramSupport

/// The commands that a user types at the prompt.
enum InteractiveCommands {
  static let help = """
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
      raise-price PERCENT [told]      raise the price with consent, or only with a notice (told).
      withdraw, extend DAYS, extend-all DAYS
    Time and the rest:
      wait 3d | 12h | 5m | 30s        let time pass.
      wait next | end                 wait for the next action of the App Store; for the end of the period.
      state, products, payloads on|off, help, quit
    """

  static func action(_ verb: String, _ words: [String]) throws -> Action {
    func first(_ what: String) throws -> String {
      guard let word = words.first else { throw InteractiveCommandError(words: "\(verb) needs \(what)") }
      return word
    }
    func number(_ what: String) throws -> Int64 {
      guard let number = Int64(try first(what)) else { throw InteractiveCommandError(words: "\(verb) needs \(what)") }
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
        throw InteractiveCommandError(words: "buy-seats needs a product and a number of seats")
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
      return .raisePrice(percent: try number("a percentage"), needsConsent: !words.contains("told"))
    case "withdraw": return .withdrawProduct
    case "extend": return .extend(days: try number("a number of days"))
    case "extend-all": return .extendAll(days: try number("a number of days"))
    default: throw InteractiveCommandError(words: "\(verb) is not a command. Type help")
    }
  }

  private static func refund(_ words: [String]) throws -> Action {
    var before = 0
    var percentage: Int64?
    var place = 0
    var isAppsFault = false
    while place < words.count {
      let word = words[place]
      place += 1
      if word == "app" {
        isAppsFault = true
      } else if word == "earlier" {
        guard place < words.count, let count = Int(words[place]) else {
          throw InteractiveCommandError(words: "refund earlier needs how many purchases before the last")
        }
        before = count
        place += 1
      } else if word.hasSuffix("%"), let percent = Int64(word.dropLast()), (1...100).contains(percent) {
        percentage = percent * 1000
      } else {
        throw InteractiveCommandError(words: "refund takes earlier N, app and a share such as 50%")
      }
    }
    return .refund(before: before, isAppsFault: isAppsFault, percentage: percentage)
  }

  /// Returns the instant until which `wait` lets time pass.
  static func deadline(_ words: [String], _ store: SimulatedStore) throws -> Instant {
    let help = InteractiveCommandError(words: "wait takes 3d, 12h, 5m, 30s, next or end")
    guard let word = words.first, words.count == 1 else { throw help }
    if word == "next" {
      guard let due = store.nextDue else { throw InteractiveCommandError(words: "the App Store has nothing to do") }
      return due
    }
    if word == "end" {
      guard let end = store.lines.last(where: { $0.account == 0 })?.transactions.last?.expiresAt, end > store.clock
      else {
        throw InteractiveCommandError(words: "no period is running")
      }
      return Instant(milliseconds: end.milliseconds + 1000)
    }
    guard let length = DurationText(word), let unit = length.unit, length.count > 0 else { throw help }
    guard length.count <= 100_000 else {
      throw InteractiveCommandError(words: "that is too long. Wait at most 100000 of a unit")
    }
    let deadline = Instant(milliseconds: store.clock.milliseconds + length.count * unit)
    guard deadline < Simulation.last else { throw InteractiveCommandError(words: "simulated time ends in 2048") }
    return deadline
  }

  /// Returns one line about an event of the simulation.
  static func words(_ happening: StoreEvent, in store: SimulatedStore) -> String {
    let at = Messages.instant(happening.at) + "  "
    switch happening.content {
    case .silence: return at + "Apple's data changed, without a message"
    case .report(let report): return at + "The app: " + report.words
    case .notification(let notification):
      let subtype = notification.subtype.map { " " + $0 } ?? ""
      let whose = store.accounts[happening.account].customer
      let state = notification.state.map { ": now " + $0.rawValue } ?? ""
      return at + "Apple, about \(whose): " + notification.type + subtype + state
    }
  }
}

/// Makes signed texts readable: replaces each JWS in a JSON text by the JSON that it signs.
enum ReadableText {
  static func opened(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var place = text.startIndex
    while let quote = text[place...].firstIndex(of: UInt8(ascii: "\"")) {
      let end = text[(quote + 1)...].firstIndex(of: UInt8(ascii: "\"")) ?? text.endIndex
      let inside = text[(quote + 1)..<min(end, text.endIndex)]
      if let payload = payload(of: inside) {
        result += text[place..<quote] + opened(payload)
        place = end + 1
      } else {
        result += text[place..<min(end + 1, text.endIndex)]
        place = min(end + 1, text.endIndex)
      }
      if place >= text.endIndex { return result }
    }
    return result + text[place...]
  }

  private static func payload(of text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count > 300, text.starts(with: "eyJ".utf8) else { return nil }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 3 ? Base64URL.decode(parts[1]) : nil
  }
}
