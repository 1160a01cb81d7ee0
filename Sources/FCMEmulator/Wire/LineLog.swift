/// A growing NDJSON document in chunks, so that neither appending nor reading copies all of it.
struct LineLog: Sendable {
    private(set) var chunks: [[UInt8]] = []

    private static let chunkSize = 1 << 18

    /// - Parameter line: one JSON document with its line break.
    mutating func append(_ line: some Collection<UInt8>) {
        if let last = chunks.indices.last, chunks[last].count + line.count <= Self.chunkSize {
            chunks[last] += line
        } else {
            var chunk: [UInt8] = []
            chunk.reserveCapacity(max(Self.chunkSize, line.count))
            chunk += line
            chunks.append(chunk)
        }
    }

    /// The lines that match.
    func filtered(_ isWanted: (ArraySlice<UInt8>) -> Bool) -> LineLog {
        var log = LineLog()
        for line in chunks.lazy.flatMap({ $0.split(separator: UInt8(ascii: "\n")) }) where isWanted(line) {
            log.append(line + [UInt8(ascii: "\n")])
        }
        return log
    }
}
