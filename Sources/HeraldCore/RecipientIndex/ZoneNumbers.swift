/// Numbers the zones that rows name, from 1. Zones are few and rows are many, so a row only asks for the number of what it
/// names.
final class ZoneNumbers {
    private(set) var zones: [Zone] = []
    /// The names of the tz database. They are looked up without a text of their own. Listing the database takes longer than
    /// reading a short list, and it has other names once in some years.
    private static let names = ValueNumbers(Set(Zone.names()))
    /// The number of the zone of each of those, by its place. `nil` if no row had it yet.
    private lazy var ofName = [Int?](repeating: nil, count: ZoneNumbers.names.count + 1)
    /// The number of the zone of each other value.
    private var known: [[UInt8]: Int] = [:]
    /// Rows may name millions of zones that there are not.
    private static let knownLimit = 10_000
    private static let longestName = 100

    /// 0 if the value names no zone.
    func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        let value = UnsafeBufferPointer(rebasing: value[...].trimmed)
        let place = Self.names.number(of: value)
        if place > 0, let known = ofName[place] { return known }
        let text = Array(value)
        if place == 0, let known = known[text] { return known }
        let number = zone(text, isName: place > 0).map { self.number(of: $0) } ?? 0
        if place > 0 {
            ofName[place] = number
        } else if known.count < Self.knownLimit {
            known[text] = number
        }
        return number
    }

    private func number(of zone: Zone) -> Int {
        if let place = zones.firstIndex(of: zone) { return place + 1 }
        zones.append(zone)
        return zones.count
    }

    /// Only names of the tz database are looked up in it.
    private func zone(_ text: [UInt8], isName: Bool) -> Zone? {
        guard !text.isEmpty, text.count <= Self.longestName, let name = String(validating: text, as: UTF8.self) else {
            return nil
        }
        return isName ? Zone(written: name) : Zone.offset(written: name).map { Zone(offset: $0) }
    }
}
