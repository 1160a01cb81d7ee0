/// A variant that few recipients get: a difference between so few is mostly chance.
struct SmallVariant {
    fileprivate static let limit = 100

    var name: Located<String>
    var recipients: Int

    var words: String { "variant '\(name.value)' has only \(count(recipients, "recipient"))" }
}

extension DesiredSend {
    /// Goes by the rows that make a message. Empty if none does, and for a campaign with a single variant.
    ///
    /// - Parameter unreachable: who is left out.
    func smallVariants(without unreachable: RecipientSet = []) -> [SmallVariant] {
        guard let census, let variants = campaign.personal?.variants, variants.count > 1 else { return [] }
        let counts = census.classes.mapValues { $0.subtracting(unreachable).count }
        guard counts.values.contains(where: { $0 > 0 }) else { return [] }
        return variants.compactMap { variant in
            let number = counts.filter { $0.key.variant == variant.name.value }.values.reduce(0, +)
            return number < SmallVariant.limit ? SmallVariant(name: variant.name, recipients: number) : nil
        }
    }
}
