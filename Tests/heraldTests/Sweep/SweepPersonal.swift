import FCM
import HeraldCore
import HeraldTestSupport

/// A personal campaign of a sweep. Every message says which text it is, so that a test can compare it with what the
/// state promised its recipient.
struct SweepPersonal {
    static let campaign = "mine"
    let seed: UInt64
    private let people: [String]

    /// - Parameter size: how many people there are.
    init(seed: UInt64, people size: Int = 24) {
        self.seed = seed
        people = (5001...(5000 + size)).map { Registration.fid($0).rawValue }
    }

    /// One of the lists that people make of the audience between runs: others leave, join, move and change their names, and
    /// some rows are bad.
    ///
    /// - Parameter version: 0 for the first one.
    func list(_ version: Int) -> String {
        var random = SeededRandom(seed: seed &* 31 &+ UInt64(version))
        let rows = people.shuffled(using: &random).compactMap { fid -> String? in
            guard Int.random(in: 0..<8, using: &random) > 0 else { return nil }
            let name = ["Ann", "", #"Bo "x" {{ name }}"#, "Zoë", "a\u{202E}b"].randomElement(using: &random) ?? ""
            let locale = ["en", "it", "it-CH", "xx", ""].randomElement(using: &random) ?? ""
            return "\(fid),\"\(name.replacing("\"", with: "\"\""))\",\(locale)"
        }
        return "fid,name,locale\n" + rows.joined(separator: "\n") + "\n"
    }

    static let resources = """
        ---
        kind: audience
        name: members
        source: {file: members.csv}
        fields: {name: {max: 40}, locale: {type: locale}}
        ---
        kind: campaign
        name: \(campaign)
        target: {audience: members}
        personal: {fields: [name], locale: locale, default_locale: en, bad_rows: skip}
        message: {data: {campaign: \(campaign), locale: message, name: "{{ name | default: 'you' }}"}}
        locales: {it: {data: {locale: it}}}
        variants:
          a: {weight: 40, message: {data: {variant: a}}}
          b: {weight: 40, message: {data: {variant: b}}}
          none: {weight: 20, holdout: true}

        """

    /// What broke a promise.
    ///
    /// - Parameters:
    ///   - texts: what each recipient got: the locale and the variant that the messages named.
    ///   - final: the list of the last run.
    func problems(
        _ texts: [String: Set<MessageClass>], _ occurrence: RecordedOccurrence?, dead: Set<String>, final: String,
        name: (RecipientID) -> String
    ) -> [String] {
        guard let occurrence else { return texts.isEmpty ? [] : ["messages without an occurrence arrived"] }
        var problems: [String] = []
        let tried = occurrence.hasTried ? Set(occurrence.tried.map(name)) : []
        for recipients in occurrence.classes.states {
            let isHoldout = recipients.variant == "none"
            for recipient in occurrence.classes[recipients].map(name) {
                let got = texts[recipient] ?? []
                if isHoldout ? !got.isEmpty : !got.isSubset(of: [recipients]) {
                    problems.append("\(recipient) of \(recipients) got \(got)")
                }
                let isListed = final.split(separator: "\n").contains { line in
                    line.hasPrefix("\(recipient),") && !line.contains("\u{202E}")
                }
                if !isHoldout, isListed, !tried.contains(recipient), !dead.contains(recipient) {
                    problems.append("\(recipient) of \(recipients) was never tried")
                }
            }
        }
        let known = Set(occurrence.classes.all.map(name))
        let strangers = texts.keys.filter { !known.contains($0) }
        return problems + strangers.map { "\($0) is not part of the occurrence" }
    }
}
