import CZlib

/// The bytes packed by gzip, as one member.
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    deflateInit2_(
        stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(stream) }
    var packed = [UInt8](repeating: 0, count: Int(deflateBound(stream, UInt(bytes.count))))
    let count = bytes.withUnsafeBufferPointer { bytes in
        packed.withUnsafeMutableBufferPointer { packed in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = packed.baseAddress
            stream.pointee.avail_out = UInt32(packed.count)
            deflate(stream, Z_FINISH)
            return packed.count - Int(stream.pointee.avail_out)
        }
    }
    return Array(packed[..<count])
}

func gzipped(_ text: String) -> [UInt8] { gzipped(Array(text.utf8)) }
