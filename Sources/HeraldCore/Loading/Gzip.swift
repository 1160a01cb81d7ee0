internal import CZlib

/// Unpacks gzip (RFC 1952) in pieces, with limits against hostile files. A file may have several members, as `cat a.gz
/// b.gz` makes it.
final class Gzip {
    /// How many times its packed size a file may unpack to. This applies only above `unratedSize`.
    static let maximumRatio = 200
    static let unratedSize = 1 << 20

    enum Problem: Error, Hashable {
        case foreign, damaged, truncated, tooDense, memory
        /// The content is larger than this many bytes.
        case larger(Int)

        /// The problem in words, as the end of a sentence.
        var words: String {
            switch self {
            case .foreign: "holds something that gzip did not write"
            case .damaged: "is damaged: what it unpacks to is not what was packed"
            case .truncated: "ends in the middle of what was packed"
            case .larger(let limit): "unpacks to more than \(limit.binarySize)"
            case .tooDense: "unpacks to more than \(maximumRatio) times its size"
            case .memory: "cannot be unpacked: memory is short"
            }
        }
    }

    private let limit: Int
    /// zlib keeps the address of the stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
    /// Whether zlib has initialised the stream.
    private var isOpen = false
    private var (packed, unpacked) = (0, 0)
    private var isInputAtEnd = false
    private var isBetweenMembers = false

    /// - Parameter limit: the most bytes that it may unpack to.
    init(limit: Int) throws(Problem) {
        self.limit = limit
        stream.initialize(to: z_stream())
        let gzipOnly = MAX_WBITS + 16
        guard inflateInit2_(stream, gzipOnly, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .memory
        }
        isOpen = true
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
        input.deallocate()
    }

    /// Fills the buffer. Fewer bytes mean that the end was reached.
    ///
    /// - Parameter refill: fills a buffer with packed bytes. Fewer bytes mean that the end was reached.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, refill: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Int {
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(buffer.count)
        let before = unpacked
        while stream.pointee.avail_out > 0 {
            if stream.pointee.avail_in == 0, !isInputAtEnd {
                let count = try refill(input)
                isInputAtEnd = count < input.count
                packed += count
                stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_in = UInt32(count)
            }
            if isBetweenMembers {
                if stream.pointee.avail_in == 0 { break }
                // Only another member may follow. Anything else fails as a bad header.
                inflateReset(stream)
                isBetweenMembers = false
            }
            try step()
            unpacked = before + buffer.count - Int(stream.pointee.avail_out)
            try checkSize()
        }
        return unpacked - before
    }

    private func step() throws(Problem) {
        switch inflate(stream, Z_NO_FLUSH) {
        case Z_STREAM_END: isBetweenMembers = true
        case Z_OK: break
        // No progress is possible, because the input has ended.
        case Z_BUF_ERROR: throw .truncated
        case Z_MEM_ERROR: throw .memory
        default: throw stream.pointee.total_out == 0 ? .foreign : .damaged
        }
    }

    private func checkSize() throws(Problem) {
        if unpacked > limit { throw .larger(limit) }
        let read = packed - Int(stream.pointee.avail_in)
        if unpacked > Self.unratedSize, unpacked > read * Self.maximumRatio { throw .tooDense }
    }
}

extension Int {
    /// The size in GiB or MiB, for people.
    var binarySize: String { self >= 1 << 30 && self % (1 << 30) == 0 ? "\(self >> 30) GiB" : "\(self >> 20) MiB" }
}
