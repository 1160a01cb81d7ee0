/// A file's bytes from start to end, unpacked if its name ends in `.gz`.
final class FileBytes {
    private let file: RegularFile
    private let packing: Gzip?
    /// The name that diagnostics use for it.
    private let name: String
    private let limit: Int
    private let growing: GrowingList?
    private var count = 0

    /// - Parameters:
    ///   - limit: the most bytes, both packed and unpacked.
    ///   - growing: if it is still written. Then it is not packed.
    init(at path: String, as name: String, limit: Int, growing: GrowingList? = nil) throws(DiagnosticError) {
        (self.name, self.limit, self.growing) = (name, limit, growing)
        do {
            file = try RegularFile(at: path, limit: limit)
            packing = name.hasSuffix(".gz") ? try Gzip(limit: limit) : nil
        } catch {
            throw DiagnosticError(error, in: name, limit: limit)
        }
    }

    /// The identity of the file as it is now, packed or not.
    var identity: FileIdentity? { file.identity }

    /// Fills the buffer. Fewer bytes mean that the end was reached.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DiagnosticError) -> Int {
        do {
            guard let packing else {
                var filled = try file.read(into: buffer)
                while filled < buffer.count, growing?.waits(beyond: count + filled) == true {
                    filled += try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                }
                count += filled
                // The file has grown since it was opened.
                if count > limit { throw RegularFile.Problem.tooLarge }
                return filled
            }
            return try packing.read(into: buffer) { try file.read(into: $0) }
        } catch {
            throw DiagnosticError(error, in: name, limit: limit)
        }
    }

    /// All remaining bytes.
    func rest() throws(DiagnosticError) -> [UInt8] {
        var bytes: [UInt8] = []
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { block.deallocate() }
        while true {
            let filled = try read(into: block)
            bytes.append(contentsOf: block[..<filled])
            if filled < block.count { return bytes }
        }
    }
}

extension DiagnosticError {
    fileprivate init(_ error: any Error, in file: String, limit: Int) {
        let range = SourceRange(file: file)
        switch error {
        case let problem as Gzip.Problem:
            self.init(.error(.listCompression, "'\(file)' \(problem.words)", at: range))
        case let problem as RegularFile.Problem:
            self.init(problem, about: file, limit: limit)
        default: self.init(.error(.fileUnreadable, "'\(file)' cannot be read", at: range))
        }
    }
}
