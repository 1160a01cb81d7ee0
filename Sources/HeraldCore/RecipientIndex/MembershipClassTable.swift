/// The membership classes found so far, each once.
final class MembershipClassTable {
    private(set) var all: [RecipientIndex.MembershipClass] = []
    private var numbers: [RecipientIndex.MembershipClass: UInt32] = [:]
    private var withSeen: [UInt32?] = []

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

    func number(of membershipClass: RecipientIndex.MembershipClass) -> UInt32 {
        if let known = numbers[membershipClass] { return known }
        let number = UInt32(all.count)
        numbers[membershipClass] = number
        all.append(membershipClass)
        return number
    }
}
