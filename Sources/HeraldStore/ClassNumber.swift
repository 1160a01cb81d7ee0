internal import HeraldCore

/// A row of the table `message_class`.
struct ClassNumber: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}

extension [ClassNumber: MessageClass] {
    func messageClass(of number: ClassNumber) throws -> MessageClass {
        guard let found = self[number] else { throw StateDamage(detail: "it has assignments of no known class") }
        return found
    }

    func classes(_ numbers: Partition<ClassNumber>) throws -> Partition<MessageClass> {
        var sets: [MessageClass: RecipientSet] = [:]
        for number in numbers.states { sets[try messageClass(of: number), default: []].formUnion(numbers[number]) }
        return Partition(disjoint: sets)
    }
}
