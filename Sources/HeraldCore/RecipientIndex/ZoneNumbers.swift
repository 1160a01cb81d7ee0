/// Numbers the zones that rows name, from 1.
final class ZoneNumbers {
    private(set) var zones: [Zone] = []
    /// Listing the database takes longer than reading a short list, and it has other names once in some years.
    private static let names = Set(Zone.names())
    /// The number of the zone of each text.
    private var known: [String: Int] = [:]
    /// Rows may name millions of zones that there are not.
    private static let knownLimit = 10_000
    private static let longestName = 100

    /// 0 if the value names no zone.
    func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        let trimmed = value[...].trimmed
        guard !trimmed.isEmpty, trimmed.count <= Self.longestName,
            let text = String(validating: trimmed, as: UTF8.self)
        else { return 0 }
        if let known = known[text] { return known }
        let number = zone(text).map { self.number(of: $0) } ?? 0
        if known.count < Self.knownLimit { known[text] = number }
        return number
    }

    private func number(of zone: Zone) -> Int {
        if let place = zones.firstIndex(of: zone) { return place + 1 }
        zones.append(zone)
        return zones.count
    }

    /// Only names of the tz database are looked up in it.
    private func zone(_ text: String) -> Zone? {
        Self.names.contains(text) ? Zone(written: text) : Zone.offset(written: text).map { Zone(offset: $0) }
    }
}
