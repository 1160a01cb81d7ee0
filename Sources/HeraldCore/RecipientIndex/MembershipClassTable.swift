/// The membership classes found so far, each once.
final class MembershipClassTable {
    private(set) var all: [RecipientIndex.MembershipClass] = []
    private var numbers: [RecipientIndex.MembershipClass: UInt32] = [:]

    func number(of membershipClass: RecipientIndex.MembershipClass) -> UInt32 {
        if let known = numbers[membershipClass] { return known }
        let number = UInt32(all.count)
        numbers[membershipClass] = number
        all.append(membershipClass)
        return number
    }
}
