extension SourceText {
    /// 64 MiB, for all files except lists.
    package static let maximumSize = 64 << 20

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
}

extension DiagnosticError {
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
    /// The line (from 1) of the first byte that is not UTF-8, if there is one.
    fileprivate var lineOfInvalidUTF8: Int? {
        withUnsafeBytes { bytes in
            bytes.firstInvalidUTF8.map { end in 1 + bytes[..<end].count { $0 == UInt8(ascii: "\n") } }
        }
    }
}
