#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A file's bytes, known to be UTF-8 and within the size limit.
package struct SourceText: Sendable {
    /// 64 MiB, for any file herald reads.
    package static let maximumSize = 64 << 20

    /// The name diagnostics give it.
    package var file: String
    package var bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// Reads a file, unpacking it where its name ends in `.gz`, or says why not.
    package static func read(_ path: String, as file: String) -> Result<SourceText, DiagnosticError> {
        let range = SourceRange(file: file)
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                let what = isFolder ? "a folder, not a file" : "not a file"
                return .failure(.init(.error(.fileUnreadable, "'\(file)' is \(what)", at: range)))
            }
            if let size = attributes[.size] as? Int, size > maximumSize {
                return .failure(.init(.error(.fileTooLarge, "'\(file)' is larger than 64 MiB", at: range)))
            }
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            return SourceText(file: file, bytes: file.hasSuffix(".gz") ? try Gzip.unpacked(bytes) : bytes).checked()
        } catch let problem as Gzip.Problem {
            return .failure(.init(.error(.listCompression, "'\(file)' \(problem.words)", at: range)))
        } catch {
            let exists = FileManager.default.fileExists(atPath: path)
            let message = exists ? "'\(file)' cannot be read: no permission" : "there is no file '\(file)'"
            return .failure(.init(.error(.fileUnreadable, message, at: range)))
        }
    }

    /// Holds the bytes against UTF-8 and the size limit.
    package func checked() -> Result<SourceText, DiagnosticError> {
        if bytes.count > Self.maximumSize {
            return .failure(
                .init(.error(.fileTooLarge, "'\(file)' is larger than 64 MiB", at: SourceRange(file: file))))
        }
        if let line = bytes.lineOfInvalidUTF8 {
            return .failure(
                .init(
                    .error(
                        .fileEncoding, "'\(file)' is not UTF-8", at: SourceRange(file: file, text: .line(line)),
                        help: "save the file as UTF-8")))
        }
        return .success(self)
    }

    /// The text of one line (from 1), without its line break, for showing.
    package func line(_ number: Int) -> String? {
        guard number > 0 else { return nil }
        var rest = bytes[...]
        for _ in 1..<number {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            rest = rest[(end + 1)...]
        }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        var line = rest[rest.startIndex..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}

/// A diagnostic where a result needs an error.
package struct DiagnosticError: Error {
    package var diagnostic: Diagnostic

    package init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }
}

extension [UInt8] {
    /// The line (from 1) of the first byte that is no UTF-8, if there is one.
    fileprivate var lineOfInvalidUTF8: Int? {
        if String(validating: self, as: UTF8.self) != nil { return nil }
        var decoder = UTF8()
        var iterator = makeIterator()
        var line = 1
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): if scalar == "\n" { line += 1 }
            case .emptyInput, .error: return line
            }
        }
    }
}
