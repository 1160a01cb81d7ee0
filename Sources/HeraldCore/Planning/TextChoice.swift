/// Which texts of a personal campaign are shown or tested, and whose values fill them.
package struct TextChoice: Hashable, Sendable {
    /// The place of a sample among those of the audience, from 1. With `revealsRows` that of a recipient.
    package var sample: Int?
    /// A key of the campaign's `locales`, or its default locale.
    package var locale: String?
    package var variant: String?
    /// Whether rows of the list fill the texts, and not samples.
    package var revealsRows = false

    package init(sample: Int? = nil, locale: String? = nil, variant: String? = nil, revealsRows: Bool = false) {
        (self.sample, self.locale, self.variant) = (sample, locale, variant)
        self.revealsRows = revealsRows
    }

    package var isEmpty: Bool { self == TextChoice() }
}

/// A text of a personal campaign, with the values that fill it.
package struct ChosenText: Hashable, Sendable {
    package var recipients: MessageClass
    package var filling: Filling
    /// Why the values make no message.
    package var mistake: RowMistake?

    package enum Filling: Hashable, Sendable {
        /// Nobody's values: defaults stand there, and elsewhere the placeholders.
        case placeholders
        /// No row of the lists gets the text: the placeholders are shown as they are written.
        case nobody
        case sample(Int, FieldValues)
        case row(RecipientID, FieldValues)
    }

    package var values: FieldValues? {
        switch filling {
        case .placeholders, .nobody: nil
        case .sample(_, let values), .row(_, let values): values
        }
    }
}

/// Why there is no such text.
package struct TextProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    /// What to do about it.
    package var help: String

    init(_ description: String, help: String) { (self.description, self.help) = (description, help) }
}

extension TextChoice {
    /// The texts to show: one for each class that differs, or those that were chosen. Each is filled with a sample of its
    /// own locale if there is one.
    package func texts(
        of wanted: DesiredSend, _ samples: [FieldValues]
    ) throws -> [ChosenText] {
        guard let messages = wanted.campaign.content.personal else { return [] }
        let classes = try classes(of: messages)
        if let sample { return try texts(in: classes, of: wanted, filledWith: sample, messages, samples) }
        var texts: [ChosenText] = []
        for recipients in classes {
            let isKnown = texts.contains {
                $0.recipients.locale == recipients.locale
                    && messages.message(of: $0.recipients) == messages.message(of: recipients)
            }
            if isKnown { continue }
            let filling =
                revealsRows
                ? try wanted.firstRow(of: recipients) ?? .nobody
                : Self.sample(for: recipients, messages, samples) ?? .placeholders
            texts.append(ChosenText(recipients, filling, messages))
        }
        return texts
    }

    /// The texts filled with one sample or row: in its own locale, unless another one is chosen.
    private func texts(
        in classes: [MessageClass], of wanted: DesiredSend, filledWith number: Int, _ messages: PersonalMessages,
        _ samples: [FieldValues]
    ) throws -> [ChosenText] {
        guard revealsRows else {
            let values = try Self.sample(number, samples)
            let own = messages.locale(of: values)
            return classes.filter { locale != nil || $0.locale == own }.map {
                ChosenText($0, .sample(number, values), messages)
            }
        }
        let (id, values) = try wanted.row(number)
        let own = wanted.census?.classes.first { $0.value.contains(id) }?.key
        if let own, variant == nil, own.isHoldout {
            throw TextProblem(
                "recipient \(number) is in holdout '\(own.variant ?? "")' and is sent nothing",
                help: "choose another --sample, or a --variant")
        }
        let fitting = classes.filter {
            (locale != nil || $0.locale == (own?.locale ?? messages.locale(of: values)))
                && (variant != nil || own == nil || $0.variant == own?.variant)
        }
        return fitting.map { ChosenText($0, .row(id, values), messages) }
    }

    /// The text that a test sends to a device.
    ///
    /// - Parameters:
    ///   - row: the device's own row. `nil` if the audience's list does not name it.
    ///   - key: its recipient key.
    package func text(
        of messages: PersonalMessages, toDeviceOf row: FieldValues?, key: [UInt8], _ samples: [FieldValues]
    ) throws -> ChosenText {
        let classes = try classes(of: messages)
        let values: FieldValues
        if let sample {
            values = try Self.sample(sample, samples)
        } else if let known = row ?? samples.first {
            values = known
        } else {
            throw TextProblem(
                "the audience's list does not name this registration, and the audience has no samples",
                help: "add 'samples' to the audience, to fill the message with")
        }
        let isSample = sample != nil || row == nil
        let verdict = key.withUnsafeBytes { key in
            isSample ? messages.judge(sample: values, key: key) : messages.judge(values, key: key)
        }
        let problem = { (mistake: RowMistake) in
            TextProblem(
                "\(isSample ? "sample \(sample ?? 1)" : "the registration's row") makes no message: \(mistake.words)",
                help: "correct the values, or choose another --sample")
        }
        switch verdict {
        case .bad(let mistake): throw problem(mistake)
        case .good(let place, _):
            let own = messages.classes[place]
            let inLocale = classes.filter { locale != nil || $0.locale == own.locale }
            // Who is held out tests the first variant.
            let recipients = inLocale.first { $0.variant == own.variant } ?? inLocale.first ?? own
            let text = ChosenText(recipients, isSample ? .sample(sample ?? 1, values) : .row(0, values), messages)
            // What makes a message in its own locale may make none in the one that is chosen.
            if let mistake = text.mistake { throw problem(mistake) }
            return text
        }
    }

    // MARK: Classes

    /// The classes that the choice leaves, without holdouts.
    private func classes(of messages: PersonalMessages) throws -> [MessageClass] {
        let key = try locale.map { try messages.localeKey(named: $0) }
        if let variant { try messages.checkVariant(variant) }
        return messages.classes.filter { recipients in
            !recipients.isHoldout && (key == nil || .some(recipients.locale) == key)
                && (variant == nil || recipients.variant == variant)
        }
    }

    // MARK: Values

    private static func sample(_ number: Int, _ samples: [FieldValues]) throws -> FieldValues {
        guard samples.indices.contains(number - 1) else {
            throw TextProblem(
                samples.isEmpty
                    ? "the campaign's audience has no samples"
                    : "there is no sample \(number): the audience has \(samples.count.grouped)",
                help: samples.isEmpty
                    ? "add 'samples' to the audience, or leave out --sample" : "choose one from 1 to \(samples.count)")
        }
        return samples[number - 1]
    }

    private static func sample(
        for recipients: MessageClass, _ messages: PersonalMessages, _ samples: [FieldValues]
    ) -> ChosenText.Filling? {
        let place = samples.firstIndex { messages.locale(of: $0) == recipients.locale } ?? samples.indices.first
        return place.map { .sample($0 + 1, samples[$0]) }
    }
}

extension ChosenText {
    fileprivate init(_ recipients: MessageClass, _ filling: Filling, _ messages: PersonalMessages) {
        (self.recipients, self.filling) = (recipients, filling)
        guard let values else { return }
        // Any key does: a row is checked for all variants.
        let verdict =
            if case .sample = filling { messages.judge(sample: values) } else {
                messages.judge(values, key: .init(start: nil, count: 0))
            }
        if case .bad(let found) = verdict {
            mistake = found
        } else {
            // The text need not be the one that the values choose.
            mistake = messages.mistake(in: values, for: recipients)
        }
    }
}

extension DesiredSend {
    /// The first recipient of a class, with their row.
    fileprivate func firstRow(of recipients: MessageClass) throws -> ChosenText.Filling? {
        guard let id = census?.classes[recipients]?.first(where: { _ in true }) else { return nil }
        return try rows?.values(of: [id])[id].map { .row(id, $0) }
    }

    /// - Parameter number: the recipient's place, from 1.
    fileprivate func row(_ number: Int) throws -> (RecipientID, FieldValues) {
        guard number > 0, number <= members.count, let id = members.dropFirst(number - 1).first(where: { _ in true }),
            let values = try rows?.values(of: [id])[id]
        else {
            throw TextProblem(
                "there is no recipient \(number): the lists name \(members.count.grouped)",
                help: "choose a smaller number for --sample")
        }
        return (id, values)
    }
}

extension PersonalMessages {
    /// - Returns: `nil` for the message itself.
    fileprivate func localeKey(named text: String) throws -> String? {
        let tag = LanguageTag(text)
        if let key = tag.flatMap({ content.localeKeys[$0] }) { return key }
        if let tag, let own = content.defaultLocale.flatMap({ LanguageTag($0) }), own == tag { return nil }
        let known = [content.defaultLocale].compactMap(\.self) + content.localeKeys.values.sorted()
        throw TextProblem(
            known.isEmpty ? "the campaign has no locales" : "the campaign has no locale '\(text)'",
            help: known.isEmpty ? "leave out --locale" : "choose one of \(known.joined(separator: ", "))")
    }

    fileprivate func checkVariant(_ name: String) throws {
        let sent = content.variants.filter { !$0.isHoldout }.map(\.name)
        if sent.contains(name) { return }
        let isHoldout = content.variants.contains { $0.name == name }
        throw TextProblem(
            isHoldout
                ? "variant '\(name)' is a holdout, and is sent nothing"
                : sent.isEmpty ? "the campaign has no variants" : "the campaign has no variant '\(name)'",
            help: sent.isEmpty ? "leave out --variant" : "choose one of \(sent.joined(separator: ", "))")
    }
}
