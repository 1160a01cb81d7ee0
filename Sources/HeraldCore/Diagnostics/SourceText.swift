/// A file's bytes, checked to be UTF-8 and within the size limit.
package struct SourceText: Sendable {
    /// 64 MiB, for all files except lists.
    package static let maximumSize = 64 << 20

    /// The name that diagnostics use for it.
    package var file: String
    package var bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// Reads a file, and unpacks it if its name ends in `.gz`. Returns a diagnostic if it cannot.
    package static func read(_ path: String, as file: String) -> Result<SourceText, DiagnosticError> {
        if file.hasSuffix(".gz") {
            do throws(DiagnosticError) {
                let bytes = try FileBytes(at: path, as: file, limit: maximumSize).rest()
                return SourceText(file: file, bytes: bytes).checked()
            } catch {
                return .failure(error)
            }
        }
        do throws(RegularFile.Problem) {
            return SourceText(file: file, bytes: try RegularFile.bytes(at: path, limit: maximumSize)).checked()
        } catch {
            return .failure(DiagnosticError(error, about: file, limit: maximumSize))
        }
    }

    /// Checks the bytes against UTF-8 and the size limit.
    package func checked() -> Result<SourceText, DiagnosticError> {
        if bytes.count > Self.maximumSize {
            return .failure(
                DiagnosticError(RegularFile.Problem.tooLarge, about: file, limit: Self.maximumSize))
        }
        if let line = bytes.lineOfInvalidUTF8 { return .failure(DiagnosticError(notUTF8: file, line: line)) }
        return .success(self)
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

    /// - Parameter limit: the size limit of the file, in bytes.
    init(_ problem: RegularFile.Problem, about file: String, limit: Int) {
        let rule: Rule = problem == .tooLarge ? .fileTooLarge : .fileUnreadable
        self.init(.error(rule, problem.words(about: file, limit: limit), at: SourceRange(file: file)))
    }
}

extension RegularFile.Problem {
    fileprivate func words(about file: String, limit: Int) -> String {
        switch self {
        case .missing: "there is no file '\(file)'"
        case .folder: "'\(file)' is a folder, not a file"
        case .notRegular: "'\(file)' is not a file"
        case .tooLarge: "'\(file)' is larger than \(limit.binarySize)"
        case .noPermission: "'\(file)' cannot be read: no permission"
        case .linkedInCircle: "'\(file)' cannot be read: its links lead in a circle"
        case .failed: "'\(file)' cannot be read"
        }
    }
}

extension [UInt8] {
    /// The line (from 1) of the first byte that is not UTF-8. `nil` if there is none.
    fileprivate var lineOfInvalidUTF8: Int? {
        withUnsafeBytes { bytes in
            bytes.firstInvalidUTF8.map { end in 1 + bytes[..<end].count { $0 == UInt8(ascii: "\n") } }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Where the first sequence begins that is not UTF-8. Decoding would need memory for a second copy of the file.
    var firstInvalidUTF8: Int? {
        var at = 0
        while at < count {
            // Most files are ASCII, so it checks eight bytes at a time.
            if at + 8 <= count, loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
                at += 8
                continue
            }
            guard let length = lengthOfScalar(at: at) else { return at }
            at += length
        }
        return nil
    }

    /// The length of a well-formed sequence, by Unicode's table 3-7. `nil` for any other.
    private func lengthOfScalar(at start: Int) -> Int? {
        let first = self[start]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0x00...0x7F: (1, 0...0)
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard length > 0, start + length <= count else { return nil }
        guard length > 1 else { return 1 }
        guard second.contains(self[start + 1]) else { return nil }
        for offset in 2..<Swift.max(2, length) where !(0x80...0xBF).contains(self[start + offset]) { return nil }
        return length
    }
}
