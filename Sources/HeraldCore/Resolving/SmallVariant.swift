/// A variant that few recipients get: a difference between so few is mostly chance.
struct SmallVariant {
    fileprivate static let limit = 100

    var name: Located<String>
    var recipients: Int

    var words: String { "variant '\(name.value)' has only \(count(recipients, "recipient"))" }
}

extension DesiredSend {
    /// Goes by the rows that make a message. Empty if none does, and for a campaign with a single variant.
    var smallVariants: [SmallVariant] {
        guard let census, !census.classes.isEmpty, let variants = campaign.personal?.variants, variants.count > 1 else {
            return []
        }
        return variants.compactMap { variant in
            let members = census.classes.filter { $0.key.variant == variant.name.value }.values
            let number = members.reduce(0) { $0 + $1.count }
            return number < SmallVariant.limit ? SmallVariant(name: variant.name, recipients: number) : nil
        }
    }
}
