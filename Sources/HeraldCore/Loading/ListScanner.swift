internal import Crypto

/// Reads a list of any size block by block, finds its lines, and checks that it is UTF-8.
final class ListScanner {
    /// The largest size of an unpacked list, in bytes.
    static let maximumSize = 4 << 30
    /// The greatest length of a line without its break, in bytes.
    static let maximumLength = 8 << 10
    private static let blockSize = 256 << 10

    private let file: String
    private var bytes: FileBytes
    private let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: blockSize)
    /// How many bytes at the start of the block are read and not yet processed.
    private var filled = 0
    private var isAtStart = true
    /// The line breaks so far.
    private var breaks = 0
    /// Whether no more lines are wanted. The rest must still be UTF-8.
    private var isSkimming = false
    private var hash = SHA256()

    /// - Parameters:
    ///   - file: The list's name in diagnostics.
    ///   - growing: if it is still written.
    init(
        _ path: String, as file: String, limit: Int = maximumSize, growing: GrowingList? = nil
    ) throws(DiagnosticError) {
        self.file = file
        bytes = try FileBytes(at: path, as: file, limit: limit, growing: growing)
    }

    deinit { block.deallocate() }

    /// The identity of the file as it is now.
    var identity: FileIdentity? { bytes.identity }

    /// Passes on the lines with their numbers (from 1), without line breaks and byte order mark, until one is too long
    /// or no more are wanted. Returns the SHA-256 of all bytes.
    ///
    /// - Parameters:
    ///   - tooLong: Called with the number of the first line that is longer than `maximumLength`.
    ///   - line: Returns `false` if no more lines are wanted.
    func scan(
        tooLong: (Int) -> Void, line: (Int, UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(DiagnosticError) -> SHA256.Digest {
        while true {
            let room = UnsafeMutableBufferPointer(rebasing: block[filled...])
            let count = try bytes.read(into: UnsafeMutableRawBufferPointer(room))
            hash.update(bufferPointer: UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: room[..<count])))
            filled += count
            let isLast = count < room.count
            let end = try checkedEnd(isLast: isLast)
            if !isSkimming { takeLines(to: end, isLast: isLast, tooLong: tooLong, line: line) }
            if isSkimming { breaks += block[..<end].count { $0 == UInt8(ascii: "\n") } }
            if isLast { return hash.finalize() }
            keep(from: end)
        }
    }

    /// The end of the part that can be processed now: whole lines or, while skimming or without a line break, whole
    /// characters.
    private func checkedEnd(isLast: Bool) throws(DiagnosticError) -> Int {
        var end = filled
        if !isLast {
            let lastBreak = block[..<filled].lastIndex(of: UInt8(ascii: "\n"))
            if let lastBreak, !isSkimming { end = lastBreak + 1 } else { end = block[..<filled].endOfWholeScalars }
        }
        let part = UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: block[..<end]))
        if let place = part.firstInvalidUTF8 {
            throw DiagnosticError(notUTF8: file, line: 1 + breaks + part[..<place].count { $0 == UInt8(ascii: "\n") })
        }
        return end
    }

    private func takeLines(
        to end: Int, isLast: Bool, tooLong: (Int) -> Void, line: (Int, UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        var rest = Slice(base: UnsafeBufferPointer(block), bounds: 0..<end)
        if isAtStart, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        isAtStart = false
        let begin = breaks
        while !rest.isEmpty {
            let place = rest.firstPlace(of: UInt8(ascii: "\n"))
            var text = rest[rest.startIndex..<(place ?? rest.endIndex)]
            if text.last == UInt8(ascii: "\r") { text.removeLast() }
            if text.count > Self.maximumLength {
                tooLong(breaks + 1)
                isSkimming = true
            } else if !line(breaks + 1, UnsafeBufferPointer(rebasing: text)) {
                isSkimming = true
            }
            if isSkimming {
                // The rest of the block is counted as a whole, with these lines.
                breaks = begin
                return
            }
            guard let place else { return }
            breaks += 1
            rest = rest[(place + 1)...]
        }
    }

    private func keep(from end: Int) {
        let rest = UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: block[end..<filled]))
        UnsafeMutableRawBufferPointer(block).copyMemory(from: rest)
        filled -= end
    }
}

extension Slice<UnsafeMutableBufferPointer<UInt8>> {
    /// The end without a UTF-8 sequence that may continue in the next block.
    fileprivate var endOfWholeScalars: Int {
        for place in indices.suffix(3).reversed() {
            switch base[place] {
            case 0x00...0x7F: return endIndex
            case 0x80...0xBF: continue
            case let first:
                let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
                return place + length > endIndex ? place : endIndex
            }
        }
        return endIndex
    }
}
