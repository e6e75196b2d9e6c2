import AppStore
import Foundation
import TestSupport
import Testing

/// Every element of a valid receipt, changed in every way: none is believed with other content.
@Suite struct ReceiptMutationTests {
  /// The structures of a receipt, by the path of their element in the container.
  enum Structure: String, CaseIterable { case container, certificates, signer, payload, purchase }

  private struct Mutant {
    var structure: Structure
    var words: String
    var bytes: [UInt8]
  }

  /// Returns every change of the elements in a tree.
  private static func mutants(of node: DERNode) -> [(String, DERNode)] {
    var found: [(String, DERNode)] = own(node)
    let children = node.children
    func with(_ words: String, _ children: [DERNode]) { found.append((words, .constructed(node.tag, children))) }
    for index in children.indices {
      with("without element \(index)", Array(children[..<index] + children[(index + 1)...]))
      with("element \(index) twice", Array(children[...index] + children[index...]))
      if index > 0 {
        var swapped = children
        swapped.swapAt(index, index - 1)
        with("element \(index) before its neighbour", swapped)
      }
      for (words, changed) in mutants(of: children[index]) {
        var all = children
        all[index] = changed
        with("\(index): \(words)", all)
      }
    }
    return found
  }

  /// Returns the changes of one element by itself.
  private static func own(_ node: DERNode) -> [(String, DERNode)] {
    var found: [(String, DERNode)] = []
    if case .primitive(let tag, let content) = node {
      for other: UInt8 in [0x02, 0x04, 0x05, 0x0C, 0x16, 0x24, 0x30, 0x80, 0xA0] where other != tag {
        found.append(("another identifier", .primitive(other, content)))
      }
      if !content.isEmpty {
        let last = content.count - 1
        for position in Set([0, 1, last / 4, last / 2, last * 3 / 4, last]) where position <= last {
          for bit: UInt8 in [0x01, 0x10, 0x80] {
            var changed = content
            changed[position] ^= bit
            found.append(("bit \(bit) of byte \(position)", .primitive(tag, changed)))
          }
        }
        found.append(("one byte less", .primitive(tag, Array(content.dropLast()))))
        found.append(("empty", .primitive(tag, [])))
        found.append(("two bytes more", .primitive(tag, content + [0, 0])))
        found.append(("one byte before", .primitive(tag, [0] + content)))
      }
      found.append(("one byte more", .primitive(tag, content + [0])))
      if tag == 0x04 { found.append(("in segments", .constructed(0x24, [.octets(Array(content.prefix(2)))]))) }
    } else {
      found.append(("an empty element", .constructed(node.tag, [])))
      found.append(("a set for a sequence", .constructed(node.tag ^ 1, node.children)))
      found.append(("wrapped once more", .constructed(node.tag, [node])))
      found.append(("an element more", .constructed(node.tag, node.children + [.primitive(0x05, [])])))
      found.append(("an element before", .constructed(node.tag, [.integer(1)] + node.children)))
    }
    return found
  }

  private static func mutants(of receipt: DERNode) throws -> [Mutant] {
    let signedData = receipt.children[1].children[0]
    let octets = signedData.children[2].children[1].children[0]
    guard case .primitive(_, let content) = octets, let payload = DERNode(content) else { return [] }
    func receiptWith(_ change: (inout [DERNode]) -> Void) -> [UInt8] {
      var parts = signedData.children
      change(&parts)
      return DERNode.sequence(receipt.children[0], .explicit([.constructed(0x30, parts)])).bytes
    }
    func receiptWith(payload: [UInt8]) -> [UInt8] {
      receiptWith { $0[2] = .sequence($0[2].children[0], .explicit([.octets(payload)])) }
    }
    var found: [Mutant] = []
    func add(_ structure: Structure, _ words: String, _ bytes: [UInt8]) {
      if bytes != receipt.bytes { found.append(Mutant(structure: structure, words: words, bytes: bytes)) }
    }
    // Without the parts that have names of their own.
    var bare = signedData.children
    (bare[3], bare[4]) = (.explicit([]), .set([]))
    for (words, changed) in mutants(of: .constructed(0x30, bare)) {
      var parts = changed.children
      guard parts.count == 5 else { continue }
      if parts[3].children.isEmpty { parts[3] = signedData.children[3] }
      if parts[4].children.isEmpty { parts[4] = signedData.children[4] }
      add(.container, words, DERNode.sequence(receipt.children[0], .explicit([.constructed(0x30, parts)])).bytes)
    }
    for (words, changed) in own(receipt)
      + mutants(of: receipt.children[0]).map({ ($0.0, .sequence($0.1, receipt.children[1])) })
    {
      add(.container, words, changed.bytes)
    }
    for index in signedData.children[3].children.indices {
      for (words, changed) in mutants(of: signedData.children[3].children[index]) {
        add(
          .certificates, "\(index): \(words)",
          receiptWith { parts in
            var list = parts[3].children
            list[index] = changed
            parts[3] = .explicit(list)
          })
      }
    }
    for (words, changed) in mutants(of: signedData.children[4]) { add(.signer, words, receiptWith { $0[4] = changed }) }
    for (words, changed) in mutants(of: payload) { add(.payload, words, receiptWith(payload: changed.bytes)) }
    for (index, attribute) in payload.children.enumerated() where attribute.children[0].bytes == [2, 1, 17] {
      guard case .primitive(_, let value) = attribute.children[2], let row = DERNode(value) else { continue }
      for (words, changed) in mutants(of: row) {
        var attributes = payload.children
        attributes[index] = ReceiptFixture.attribute(17, changed)
        add(.purchase, words, receiptWith(payload: DERNode.set(attributes).bytes))
      }
    }
    return found
  }

  @Test(arguments: Structure.allCases)
  func `no change of a structure is believed with other content`(structure: Structure) async throws {
    let decoder = try ReceiptAttackTests.decoder()
    let receipt = try ReceiptAttackTests.fixture().tree()
    let original = await decoder.check(receipt: receipt.bytes)
    #expect(original.isVerified)
    let mutants = try Self.mutants(of: receipt).filter { $0.structure == structure }
    #expect(mutants.count >= 200, "\(mutants.count) changes of the \(structure)")
    var believed: [String] = []
    for mutant in mutants {
      let check = await decoder.check(receipt: mutant.bytes)
      // What the signature does not cover may change: a version number, or a certificate that nobody needs.
      guard check.isVerified else { continue }
      believed.append(mutant.words)
      #expect(check.receipt == original.receipt && check.root == original.root, "\(mutant.words)")
    }
    if structure == .payload || structure == .purchase { #expect(believed == []) }
  }
}
