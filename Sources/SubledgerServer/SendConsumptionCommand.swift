import AppStoreClient
import ArgumentParser

struct SendConsumptionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send-consumption",
    abstract: "Tell Apple how much of a purchase was used, when it asks before a refund.",
    discussion: """
      Answer within twelve hours of the CONSUMPTION_REQUEST, and only with the customer's consent. Apple decides about \
      the refund, and the last answer before that counts.
      """)

  @Argument(help: "The id of the transaction whose refund was asked for.") var id: String
  @Flag(help: "The customer consented to this answer. Without consent, do not answer at all.")
  var customerConsented = false
  @Option(
    help: "What was delivered: delivered, quality-issue, wrong-item, server-outage or other (default: delivered).",
    transform: AppStoreRequest.DeliveryStatus.argument)
  var delivery = AppStoreRequest.DeliveryStatus.delivered
  @Flag(help: "The app offered a free sample before the purchase.") var sampleProvided = false
  @Option(help: ArgumentHelp("How much was used, from 0 to 100; not for a subscription.", valueName: "percent"))
  var consumed: Double?
  @Option(
    help: "What you wish: decline, grant-full or grant-prorated.",
    transform: AppStoreRequest.RefundPreference.argument) var preference: AppStoreRequest.RefundPreference?
  @OptionGroup var options: FetchOptions

  func validate() throws {
    guard customerConsented else {
      throw ValidationError("Apple takes no answer without the customer's consent. State it with --customer-consented.")
    }
    guard consumed.map({ (0...100).contains($0) }) ?? true else {
      throw ValidationError("--consumed is a number from 0 to 100.")
    }
  }

  func run() async throws {
    try await options.ask { _ in
      try .consumption(
        of: id, delivery: delivery, hasSample: sampleProvided,
        consumption: consumed.map { Int(($0 * 1000).rounded()) }, preference: preference)
    } _: { request, environment, client, settings in
      print(try await Fetching(client, settings).act(request, in: environment).requestSummary + ".")
      print("Apple has the answer. Its decision comes as a notification: REFUND or REFUND_DECLINED.")
    }
  }
}
