import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Which texts previews show, and what a test sends.
struct TextChoiceTests {
    private static let rows = ["Ann,it", "Bob,en", "Zoë,de"]

    /// The message needs no name, and its translation does.
    private static let needier = """
        message: {data: {text: Hi}}
        locales: {it: {data: {text: "Ciao {{ name }}"}}}
        """

    private func texts(
        _ choice: TextChoice, of rows: [String] = Self.rows, variants: String = "",
        saying texts: String = PersonalSamples.texts
    ) throws -> [ChosenText] {
        let personal = try PersonalSamples(rows, variants: variants, texts: texts)
        return try choice.texts(of: personal.send, personal.samples)
    }

    private func shown(_ choice: TextChoice, variants: String = "") throws -> [String] {
        let messages = try #require(PersonalSamples(Self.rows, variants: variants).send.campaign.content.personal)
        return try texts(choice, variants: variants).map { text in
            let message = text.values.map { messages.rendered($0, for: text.recipients) }
            return message?["data"]?["text"]?.string ?? "?"
        }
    }

    @Test func `each text is filled with a sample of its locale`() throws {
        #expect(try shown(TextChoice()) == ["Hi Dana", "Ciao Chris"])
        #expect(
            try shown(TextChoice(), variants: PersonalSamples.variants) == [
                "Hi Dana", "Ciao Chris", "Hey Dana", "Ehi Chris",
            ])
    }

    @Test func `a sample is shown in its own locale, or in the one that is asked for`() throws {
        #expect(try shown(TextChoice(sample: 1)) == ["Ciao Chris"])
        #expect(try shown(TextChoice(sample: 1, locale: "EN")) == ["Hi Chris"])
        #expect(
            try shown(TextChoice(sample: 2, locale: "it", variant: "b"), variants: PersonalSamples.variants)
                == ["Ehi Dana"])
    }

    @Test func `a sample that makes no message says why`() throws {
        #expect(try texts(TextChoice(sample: 3)).map(\.mistake) == [RowMistake(kind: .missing, field: "name")])
    }

    @Test(arguments: [
        TextChoice(sample: 3, locale: "it"), TextChoice(sample: 1, locale: "it", revealsRows: true),
    ])
    func `values are judged for the text that they fill, not for the one that they choose`(_ choice: TextChoice) throws
    {
        #expect(
            try texts(choice, of: [",en"], saying: Self.needier).map(\.mistake)
                == [RowMistake(kind: .missing, field: "name")])
    }

    @Test func `a bad row is shown in the language that it names`() throws {
        let texts = try texts(TextChoice(sample: 1, revealsRows: true), of: [",it"])
        #expect(texts.map(\.recipients) == [MessageClass(locale: "it")])
        #expect(texts.map(\.mistake) == [RowMistake(kind: .missing, field: "name")])
    }

    @Test func `rows are shown only where that is asked for`() throws {
        #expect(try shown(TextChoice(revealsRows: true)) == ["Hi Bob", "Ciao Ann"])
        #expect(try shown(TextChoice(sample: 3, revealsRows: true)) == ["Hi Zoë"])
    }

    @Test(arguments: [
        (TextChoice(sample: 4), "there is no sample 4: the audience has 3", "choose one from 1 to 3"),
        (
            TextChoice(sample: 4, revealsRows: true), "there is no recipient 4: the lists name 3",
            "choose a smaller number for --sample"
        ),
        (TextChoice(locale: "fr"), "the campaign has no locale 'fr'", "choose one of en, it"),
        (TextChoice(variant: "c"), "the campaign has no variant 'c'", "choose one of a, b"),
        (TextChoice(variant: "none"), "variant 'none' is a holdout, and is sent nothing", "choose one of a, b"),
    ])
    func `what there is not is told with what there is`(
        _ choice: TextChoice, _ words: String, _ help: String
    ) throws {
        let problem = #expect(throws: TextProblem.self) { try texts(choice, variants: PersonalSamples.variants) }
        #expect(problem?.description == words)
        #expect(problem?.help == help)
    }

    // MARK: Tests on devices

    private func tested(
        _ choice: TextChoice, row: String?, samples: String = PersonalSamples.samples,
        variants: String = PersonalSamples.variants, saying texts: String = PersonalSamples.texts
    ) throws -> ChosenText {
        let personal = try PersonalSamples(Self.rows, variants: variants, samples: samples, texts: texts)
        let messages = try #require(try personal.send.campaign.content.personal)
        let values = row.map { row in
            FieldValues(
                row.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) })
        }
        return try choice.text(
            of: messages, toDeviceOf: values, key: Array(Registration.fid(1).rawValue.utf8), try personal.samples)
    }

    @Test func `a test takes the device's own row, else the first sample`() throws {
        let own = try tested(TextChoice(), row: "Ann,it")
        #expect(own.values?.texts == ["Ann", "it"])
        #expect(own.recipients.locale == "it")
        // Whatever the hash says, nobody tests a holdout.
        #expect(["a", "b"].contains(own.recipients.variant))
        let other = try tested(TextChoice(variant: "b"), row: nil)
        #expect(other.values?.texts == ["Chris", "it"])
        #expect(other.recipients == MessageClass(locale: "it", variant: "b"))
        #expect(try tested(TextChoice(sample: 2), row: "Ann,it").values?.texts.first == "Dana")
    }

    @Test func `a bad row is an error before anything is sent`() throws {
        let problem = #expect(throws: TextProblem.self) { try tested(TextChoice(sample: 3), row: nil) }
        #expect(
            problem?.description
                == "sample 3 makes no message: there is no value for 'name', and the message gives no default")
        let nothing = #expect(throws: TextProblem.self) { try tested(TextChoice(), row: nil, samples: "") }
        #expect(
            nothing?.description
                == "the audience's list does not name this registration, and the audience has no samples")
        #expect(nothing?.help == "add 'samples' to the audience, to fill the message with")
    }

    @Test(
        arguments: [
            (TextChoice(locale: "it"), ",en", "the registration's row"),
            (TextChoice(sample: 3, locale: "it"), nil, "sample 3"),
        ] as [(TextChoice, String?, String)])
    func `values that make no message in the chosen language are sent to nobody`(
        _ choice: TextChoice, _ row: String?, _ name: String
    ) throws {
        let problem = #expect(throws: TextProblem.self) {
            try tested(choice, row: row, variants: "", saying: Self.needier)
        }
        #expect(
            problem?.description
                == "\(name) makes no message: there is no value for 'name', and the message gives no default")
    }

    @Test func `a test's plan has the text of each device`() throws {
        let personal = try PersonalSamples(Self.rows)
        let text = ChosenText(recipients: MessageClass(locale: "it"), filling: .sample(1, try personal.samples[0]))
        let plan = Plan(
            testing: try personal.send.campaign, on: [1: .fid(1)], [1: text], at: PlanScenario.now)
        guard case .send(let send)? = plan.steps.first?.work else {
            Issue.record("no send")
            return
        }
        #expect(send.classes == Partition(disjoint: [MessageClass(locale: "it"): [1]]))
        #expect(send.assignment == nil)
    }

    @Test func `recipients are found by their keys`() throws {
        let personal = try PersonalSamples(Self.rows)
        let keys = [Registration.fid(2), .fid(9)].map(\.recipientKey)
        let numbers = try personal.recipients.numbers(of: Set(keys))
        #expect(Array(numbers.keys) == [keys[0]])
        let ids = RecipientSet(numbers.values.sorted())
        #expect(try personal.send.rows?.values(of: ids).values.map(\.texts) == [["Bob", "en"]])
    }
}
