/// The words of verifyReceipt for the attributes of an app receipt, and how each is written (Apple, "responseBody").
enum ReceiptWords {
  /// One type of attribute.
  struct Word {
    let type: Int64
    let names: [String]
    let form: Form

    init(_ type: Int64, _ names: String..., form: Form) { (self.type, self.names, self.form) = (type, names, form) }
  }

  /// How an attribute is written in JSON.
  enum Form {
    case text, number
    /// A number as text, as verifyReceipt writes it.
    case numberText
    /// A number as text; 0 means that there is none.
    case identifier
    /// Milliseconds since 1970, as text.
    case instant
    /// One of the texts for the numbers from 0 on.
    case name([String])
    /// The text `true` or `false`.
    static let flag = Form.name(["false", "true"])
  }

  /// The type of an attribute that contains one purchase.
  static let purchase: Int64 = 17

  static let receipt = [
    Word(0, "receipt_type", form: .text),
    Word(1, "adam_id", "app_item_id", form: .number),
    Word(2, "bundle_id", form: .text),
    Word(3, "application_version", form: .text),
    Word(15, "download_id", form: .number),
    Word(16, "version_external_identifier", form: .number),
    Word(12, "receipt_creation_date_ms", form: .instant),
    Word(18, "original_purchase_date_ms", form: .instant),
    Word(19, "original_application_version", form: .text),
    Word(21, "expiration_date_ms", form: .instant),
    Word(23, "organization_display_name", form: .text),
    Word(32, "preorder_date_ms", form: .instant),
  ]

  static let row = [
    Word(1701, "quantity", form: .numberText),
    Word(1702, "product_id", form: .text),
    Word(1703, "transaction_id", form: .text),
    Word(1705, "original_transaction_id", form: .text),
    Word(1704, "purchase_date_ms", form: .instant),
    Word(1706, "original_purchase_date_ms", form: .instant),
    Word(1708, "expires_date_ms", form: .instant),
    Word(1711, "web_order_line_item_id", form: .identifier),
    Word(1713, "is_trial_period", form: .flag),
    Word(1719, "is_in_intro_offer_period", form: .flag),
    Word(1712, "cancellation_date_ms", form: .instant),
    Word(1720, "cancellation_reason", form: .numberText),
    Word(1721, "promotional_offer_id", form: .text),
    // Apple documents neither of the next two types. In every receipt seen, the numbers are these.
    Word(
      1707, "type",
      form: .name([
        "Non-Consumable", "Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription", "Free Subscription",
      ])),
    Word(1722, "in_app_ownership_type", form: .name(["PURCHASED", "FAMILY_SHARED"])),
    Word(1710, "item_id", form: .identifier),
  ]

  /// Returns a receipt as a JSON object.
  static func receipt(_ attributes: ReceiptAttributes, rows: [ReceiptAttributes]) -> [UInt8] {
    var text = JSONWriter()
    add(receipt, of: attributes, to: &text)
    text.add(
      "in_app",
      json: JSONWriter.array(
        rows.map { attributes in
          var text = JSONWriter()
          add(row, of: attributes, to: &text)
          addUnnamed(attributes, except: rowTypes, to: &text)
          return text.finished
        }))
    addUnnamed(attributes, except: receiptTypes.union([purchase]), to: &text)
    return text.finished
  }

  /// The types of a receipt that occur once.
  static let receiptTypes = Set(receipt.map(\.type))
  /// The types of a purchase, each of which occurs once.
  static let rowTypes = Set(row.map(\.type))

  private static func add(_ words: [Word], of attributes: ReceiptAttributes, to text: inout JSONWriter) {
    for word in words {
      guard let attribute = attributes[word.type] else { continue }
      for name in word.names where !add(name, attribute, word.form, to: &text) {
        // An object in place of a value is a problem of this value alone, which the reader of the rows notes.
        text.add(name, json: unnamed(attribute))
      }
    }
  }

  /// Adds an attribute, unless it is empty.
  /// - Returns: whether it could be read.
  private static func add(
    _ name: String, _ attribute: ReceiptAttributes.Attribute, _ form: Form, to text: inout JSONWriter
  ) -> Bool {
    switch form {
    case .text: return write(attribute.text) { text.add(name, $0) }
    case .instant: return write(attribute.instant) { text.add(name, String($0.milliseconds)) }
    case .number: return write(attribute.integer) { text.add(name, $0) }
    case .numberText: return write(attribute.integer) { text.add(name, String($0)) }
    case .identifier: return write(attribute.integer) { if $0 != 0 { text.add(name, String($0)) } }
    case .name(let names):
      guard case .value(let value) = attribute.integer else { return isAbsent(attribute.integer) }
      guard let index = Int(exactly: value), names.indices.contains(index) else { return false }
      text.add(name, names[index])
      return true
    }
  }

  /// Writes what an attribute states.
  /// - Returns: whether it could be read.
  private static func write<Content>(
    _ reading: ReceiptAttributes.Attribute.Reading<Content>, _ body: (Content) -> Void
  ) -> Bool {
    switch reading {
    case .value(let value): body(value)
    case .absent: break
    case .unreadable: return false
    }
    return true
  }

  private static func isAbsent<Content>(_ reading: ReceiptAttributes.Attribute.Reading<Content>) -> Bool {
    if case .absent = reading { true } else { false }
  }

  /// Adds the attributes that have no name and are not empty, with their bytes.
  private static func addUnnamed(
    _ attributes: ReceiptAttributes, except named: Set<Int64>, to text: inout JSONWriter
  ) {
    let rest = attributes.all.filter { !named.contains($0.type) && !isAbsent($0.text) }
    guard !rest.isEmpty else { return }
    text.add("other_attributes", json: JSONWriter.array(rest.map(unnamed)))
  }

  private static func unnamed(_ attribute: ReceiptAttributes.Attribute) -> [UInt8] {
    var text = JSONWriter()
    text.add("type", attribute.type)
    text.add("version", attribute.version)
    text.add("value", plain: ReceiptText.base64(Array(attribute.value)))
    return text.finished
  }
}
