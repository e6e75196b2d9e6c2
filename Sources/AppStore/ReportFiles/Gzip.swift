internal import CZlib
internal import Foundation

/// Compresses and decompresses gzip data, as App Store Connect sends reports.
package enum Gzip {
  /// Returns whether some bytes are gzip data, by the first two bytes.
  package static func isGzip(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Decompresses gzip data, also of several members in a row.
  /// - Parameters:
  ///   - bytes: the whole data.
  ///   - limit: the greatest length of the result. Little data can be decompressed to very much.
  /// - Returns: `nil` if the data is damaged or cut.
  /// - Throws: ``TooLong`` if the result is longer than the limit.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws(TooLong) -> [UInt8]? {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var stream = z_stream()
    guard czlib_inflate_gzip_begin(&stream) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    let status: Int32? = input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(clamping: input.count)
      while true {
        let result = buffer.withUnsafeMutableBufferPointer { room in
          stream.next_out = room.baseAddress
          stream.avail_out = uInt(room.count)
          let result = inflate(&stream, Z_NO_FLUSH)
          output.append(contentsOf: room[..<(room.count - Int(stream.avail_out))])
          return result
        }
        if output.count > limit { return nil }
        if result == Z_STREAM_END, stream.avail_in > 0 {
          guard inflateReset(&stream) == Z_OK else { return Z_DATA_ERROR }
        } else if result != Z_OK {
          return result
        }
      }
    }
    guard let status else { throw TooLong() }
    return status == Z_STREAM_END ? output : nil
  }

  /// Compresses bytes into gzip data. Equal bytes give equal data, because the data states no name and no instant.
  package static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard czlib_deflate_gzip_begin(&stream) == Z_OK else { preconditionFailure("zlib has no memory") }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { room in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = room.baseAddress
        stream.avail_out = uInt(room.count)
        let result = deflate(&stream, Z_FINISH)
        precondition(result == Z_STREAM_END, "the bound of zlib holds")
      }
    }
    output.removeLast(output.count - Int(stream.total_out))
    return output
  }

  /// The error that data is longer than the limit.
  package struct TooLong: Error {}
}
