internal import AppStore

/// Splits a JSON text into a template, which many texts share, and its own values. It also joins them again.
///
/// Two of Apple's objects about one product differ in ids and instants. If these are stored apart from the template, the
/// texts take a third of the space. The key decides which values belong to the template: those that are equal for all
/// customers of an app. All other values are cut out, and so is everything that can name a person.
///
/// A receipt states each instant three times: as text, in milliseconds, and as text in Pacific time. Only the
/// milliseconds are stored if the texts follow from them. If a column contains a value as Apple wrote it, only the
/// column stores it. The template then names that column (``TemplateColumn``).
package enum TextTemplate {
  /// The placeholder of a value in a template, and the separator between values. JSON never contains this control character
  /// unescaped. A letter after it states where the value is stored; JSON never has a letter in that position.
  private static let placeholder: UInt8 = 0x1F
  /// The letter for a value that is the instant of the next value, as ``ReceiptDate/gmt``.
  private static let gmt = UInt8(ascii: "G")
  /// The letter for a value that is the instant of the previous value, as ``ReceiptDate/pacific``.
  private static let pacific = UInt8(ascii: "P")

  /// The maximum length in bytes of a value in a template.
  private static let valueLimit = 64

  /// A text, split into its template and its values.
  package struct Parts: Sendable {
    /// The part that many texts share, with a placeholder for each value.
    package let template: Template
    /// The values in order, with a separator between them.
    package let values: [UInt8]
  }

  /// A template that is fast to look up as a dictionary key.
  package struct Template: Hashable, Sendable {
    /// The template as bytes, with its placeholders.
    package let text: [UInt8]
    private let mixed: UInt64

    fileprivate init(_ text: [UInt8]) {
      self.text = text
      var mixed = UInt64(text.count)
      text.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
          // The multiplication moves low bits up, and the shift moves them down again, as in FNV.
          mixed = (mixed ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
          mixed ^= mixed >> 29
        }
        for offset in bytes.count & ~7..<bytes.count {
          mixed = (mixed ^ UInt64(bytes[offset])) &* 0x0000_0100_0000_01B3
        }
      }
      self.mixed = mixed
    }

    /// Hashes a number that was computed once from the whole text.
    package func hash(into hasher: inout Hasher) { hasher.combine(mixed) }
  }

  /// Splits a text into template and values.
  /// - Parameters:
  ///   - source: JSON, or the text that is left after objects were cut out.
  ///   - columns: the values that columns contain.
  /// - Returns: the template and the values; `nil` if the text cannot be split.
  package static func split(_ source: [UInt8], columns: some TemplateValues) -> Parts? {
    var scanner = Scanner(count: source.count, columns: columns)
    guard source.withUnsafeBufferPointer({ scanner.scan($0) }) else { return nil }
    return Parts(template: Template(scanner.template), values: scanner.values)
  }

  /// Joins a template and values into the original text.
  /// - Parameters:
  ///   - template: the template, with its placeholders.
  ///   - values: one value for each placeholder without a letter.
  ///   - column: returns the value that a column contains; `nil` if it has none.
  /// - Returns: the bytes that ``split(_:columns:)`` received.
  package static func join(
    template: [UInt8], values: [UInt8], column: (TemplateColumn) -> TemplateValue?
  ) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(template.count + values.count)
    var rest = values[...]
    var last: [UInt8] = []
    /// Where to insert a date as text. The next value determines it.
    var dateText: Int?
    var offset = 0
    while offset < template.count {
      let end = template[offset...].firstIndex(of: placeholder) ?? template.count
      text += template[offset..<end]
      offset = end
      if offset == template.count { break }
      let letter = offset + 1 < template.count ? template[offset + 1] : 0
      offset += 1
      if letter == gmt {
        dateText = text.count
        offset += 1
        continue
      }
      if letter == pacific {
        text += ReceiptDate(milliseconds: last)?.pacific ?? []
        offset += 1
        continue
      }
      if let name = TemplateColumn(rawValue: letter) {
        last = column(name)?.bytes ?? []
        offset += 1
      } else {
        last = Array(rest.prefix { $0 != placeholder })
        rest = rest.dropFirst(last.count + 1)
      }
      if let start = dateText { text.insert(contentsOf: ReceiptDate(milliseconds: last)?.gmt ?? [], at: start) }
      dateText = nil
      text += last
    }
    return text
  }

  private struct Scanner<Columns: TemplateValues> {
    var template: [UInt8] = []
    var values: [UInt8] = []
    private let columns: Columns
    private var isFirst = true
    /// The kind of the latest key, which applies to the current value.
    private var key = TemplateKeys.Kind.own
    /// The previous placeholder if its value may be a date as text: its offsets in the template and the values, and whether
    /// it is the first value.
    private var dateText: (template: Int, values: Int, wasFirst: Bool)?
    /// The previous value, if it is an instant in milliseconds.
    private var instant: ReceiptDate?

    init(count: Int, columns: Columns) {
      self.columns = columns
      template.reserveCapacity(count)
      values.reserveCapacity(count / 2)
    }

    /// Splits the text into ``template`` and ``values``.
    /// - Returns: whether the text has the shape of JSON, as far as splitting needs it.
    mutating func scan(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
      var offset = 0
      while offset < text.count {
        let byte = text[offset]
        switch byte {
        case UInt8(ascii: "\""):
          guard let end = Self.endOfString(text, from: offset) else { return false }
          var next = end
          while next < text.count, text[next] == 0x20 || text[next] == 0x0A || text[next] == 0x0D || text[next] == 0x09
          {
            next += 1
          }
          let inside = UnsafeBufferPointer(rebasing: text[offset + 1..<end - 1])
          if next < text.count, text[next] == UInt8(ascii: ":") {
            key = TemplateKeys.all[inside]
            template += text[offset..<end]
          } else {
            template.append(byte)
            take(inside)
            template.append(byte)
          }
          offset = end
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
          var end = offset + 1
          while end < text.count, !Self.isDelimiter(text[end]) { end += 1 }
          take(UnsafeBufferPointer(rebasing: text[offset..<end]))
          offset = end
        case TextTemplate.placeholder:
          return false
        default:
          template.append(byte)
          offset += 1
        }
      }
      return true
    }

    private mutating func take(_ value: UnsafeBufferPointer<UInt8>) {
      if key == .common, value.count <= TextTemplate.valueLimit {
        template += value
        return
      }
      if let instant, value.count == ReceiptDate.pacificCount, value.elementsEqual(instant.pacific) {
        template += [TextTemplate.placeholder, TextTemplate.pacific]
        dateText = nil
        return
      }
      instant = ReceiptDate(milliseconds: value)
      if let instant, let dateText {
        let start = dateText.values + (dateText.wasFirst ? 0 : 1)
        if values[start...].elementsEqual(instant.gmt) {
          values.removeSubrange(dateText.values...)
          isFirst = dateText.wasFirst
          template.insert(TextTemplate.gmt, at: dateText.template + 1)
        }
      }
      dateText = value.count == ReceiptDate.greenwichCount ? (template.count, values.count, isFirst) : nil
      template.append(TextTemplate.placeholder)
      if case .column(let column) = key, let stated = columns.value(of: column), stated.isWritten(value) {
        template.append(column.rawValue)
        return
      }
      if !isFirst { values.append(TextTemplate.placeholder) }
      isFirst = false
      values += value
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte <= 0x20
    }

    /// Returns the offset after the closing quote; `nil` without one, or if a character is not allowed in a string.
    private static func endOfString(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
      var offset = start + 1
      while offset < text.count {
        switch text[offset] {
        case UInt8(ascii: "\""): return offset + 1
        case UInt8(ascii: "\\"):
          guard offset + 1 < text.count, text[offset + 1] >= 0x20 else { return nil }
          offset += 2
        case 0..<0x20: return nil
        default: offset += 1
        }
      }
      return nil
    }
  }
}
