/// A file's bytes, checked to be UTF-8 and within the size limit.
package struct SourceText: Sendable {
    /// The name that diagnostics use for it.
    package var file: String
    package var bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// The text of some lines (from 1) without line breaks, for display. Lines longer than `limit` bytes are left out.
    /// One pass over the file finds all of them.
    package func lines(_ numbers: Set<Int>, upTo limit: Int) -> [Int: String] {
        guard let last = numbers.max() else { return [:] }
        var lines: [Int: String] = [:]
        bytes.withUnsafeBufferPointer { bytes in
            var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
            var number = 1
            while number <= last, !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
                if numbers.contains(number), end - rest.startIndex <= limit {
                    let line = rest[rest.startIndex..<end]
                    lines[number] = String(
                        decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
                }
                rest = rest[min(end + 1, rest.endIndex)...]
                number += 1
            }
        }
        return lines
    }
}

/// A diagnostic as an error, for results and typed throws.
package struct DiagnosticError: Error {
    package var diagnostic: Diagnostic

    package init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

    init(notUTF8 file: String, line: Int) {
        self.init(
            .error(
                .fileEncoding, "'\(file)' is not UTF-8", at: SourceRange(file: file, text: .line(line)),
                help: "save the file as UTF-8"))
    }
}
