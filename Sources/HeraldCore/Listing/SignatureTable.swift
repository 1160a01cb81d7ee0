/// The signatures of rows that were met, each once.
final class SignatureTable {
    private(set) var all: [Listing.Signature] = []
    private var numbers: [Listing.Signature: UInt32] = [:]

    func number(of signature: Listing.Signature) -> UInt32 {
        if let known = numbers[signature] { return known }
        let number = UInt32(all.count)
        numbers[signature] = number
        all.append(signature)
        return number
    }
}
