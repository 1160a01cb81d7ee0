extension FetchedList {
    /// What a list that was just fetched holds.
    package struct Content: Hashable, Sendable {
        package var rows: Int
        /// SHA-256.
        package var digest: String
        /// Those that the files name.
        package var columns: Set<String> = []
    }

    /// The columns of each list that the files name, by the names of audiences.
    ///
    /// - Parameter audiences: all of the workspace. Others may choose by columns of a list.
    package static func columns(among audiences: [Audience]) -> [String: Set<String>] {
        let use = FilterUse(audiences)
        return audiences.reduce(into: [:]) { all, audience in
            guard case .list(_, let columns) = audience.source else { return }
            all[audience.name.value] = asked(of: audience, use).union(columns.named.map(\.value))
        }
    }

    /// Those that hold no registrations.
    private static func asked(of audience: Audience, _ use: FilterUse) -> Set<String> {
        use.columns(ofListBehind: audience.name.value).union(audience.fields.map(\.value.column))
    }

    /// Unpacks a list that came packed with gzip.
    ///
    /// - Parameter write: returns `false` if it cannot.
    /// - Returns: Whether all of it was written.
    package static func unpack(
        _ packed: String, _ write: (UnsafeRawBufferPointer) -> Bool
    ) -> Result<Bool, Flaw> {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { block.deallocate() }
        do throws(DiagnosticError) {
            let bytes = try FileBytes(at: packed, as: "list.gz", limit: ListScanner.maximumSize)
            while true {
                let count = try bytes.read(into: block)
                guard write(UnsafeRawBufferPointer(rebasing: block[..<count])) else { return .success(false) }
                if count < block.count { return .success(true) }
            }
        } catch {
            return .failure(.malformed(line: nil, error.diagnostic.message))
        }
    }

    /// Why a list that was just fetched is not used.
    package enum Flaw: Error, Hashable, Sendable {
        case noRows
        case repeatedColumn
        case missingColumn(String)
        /// What is wrong with a line; never the line itself.
        case malformed(line: Int?, String)

        package var description: String {
            switch self {
            case .noRows: "it has no rows"
            case .repeatedColumn: "two of its columns have one name"
            case .missingColumn(let name): "it has no column '\(name)'"
            case .malformed(let line, let problem): (line.map { "line \($0): " } ?? "") + problem
            }
        }
    }

    /// Reads a list that was just fetched as a plan would.
    ///
    /// - Parameters:
    ///   - audiences: all of the workspace. Others may choose by columns of this list.
    ///   - growing: if it is still written.
    package static func check(
        _ path: String, for audience: Audience, among audiences: [Audience], growing: GrowingList? = nil
    ) -> Result<Content, Flaw> {
        guard case .list(let place, let columns) = audience.source else { return .failure(.noRows) }
        let asked = Self.asked(of: audience, FilterUse(audiences))
        var (reader, rows) = (ListReader(place.value, columns.names, asked: asked.sorted()), 0)
        let digest: String
        do throws(DiagnosticError) {
            let scanned = try ListScanner(path, as: place.value, growing: growing).scan { number in
                reader.noteTooLong(at: number)
            } line: { number, line in
                reader.read(line, at: number) { _, _ in rows += 1 }
            }
            digest = scanned.hexadecimal
        } catch {
            return .failure(.malformed(line: nil, error.diagnostic.message))
        }
        reader.end()
        if let first = reader.rows.diagnostics.first {
            return .failure(.malformed(line: first.range.text?.start.line, first.message))
        }
        if rows == 0 { return .failure(.noRows) }
        if Set(reader.columns).count < reader.columns.count { return .failure(.repeatedColumn) }
        let there = Set(reader.columns).union(reader.attributes ?? [])
        // A list that names neither column may have a token, a fid, or both.
        let named = Set(columns.named.map(\.value))
        if let missing = reader.missing.intersection(named).union(asked.subtracting(there)).min() {
            return .failure(.missingColumn(missing))
        }
        return .success(Content(rows: rows, digest: digest, columns: asked.union(named)))
    }
}
