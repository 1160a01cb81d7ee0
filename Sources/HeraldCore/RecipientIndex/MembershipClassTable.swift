/// The membership classes found so far, each once.
final class MembershipClassTable {
    private(set) var all: [RecipientIndex.MembershipClass] = []
    private var numbers: [RecipientIndex.MembershipClass: UInt32] = [:]
    private var withSeen: [UInt32?] = []
    /// By class, then by the number of the zone.
    private var withZone: [[UInt32?]] = []

    /// The columns whose times a row of a class brings.
    func times(of number: UInt32) -> [Int] { all[Int(number)].compared?.times ?? [] }

    /// The class of the same rows if they say when their app was seen last.
    func numberWithSeen(_ number: UInt32) -> UInt32 {
        let index = Int(number)
        while withSeen.count <= index { withSeen.append(nil) }
        if let known = withSeen[index] { return known }
        var seen = all[index]
        seen.hasSeen = true
        let found = self.number(of: seen)
        withSeen[index] = found
        return found
    }

    /// The class of the same rows if the next of their columns names a zone.
    ///
    /// - Parameter zone: its number; 0 for none.
    func number(_ number: UInt32, zone: Int) -> UInt32 {
        let index = Int(number)
        while withZone.count <= index { withZone.append([]) }
        while withZone[index].count <= zone { withZone[index].append(nil) }
        if let known = withZone[index][zone] { return known }
        var zoned = all[index]
        zoned.zones.append(zone)
        let found = self.number(of: zoned)
        withZone[index][zone] = found
        return found
    }

    func number(of membershipClass: RecipientIndex.MembershipClass) -> UInt32 {
        if let known = numbers[membershipClass] { return known }
        let number = UInt32(all.count)
        numbers[membershipClass] = number
        all.append(membershipClass)
        return number
    }
}
