package import FCM

/// What a campaign's next send puts on the wire, and what devices get from it. It holds no registration and no key.
package struct Preview: Hashable, Sendable {
    package var campaign: String
    package var occurrence: OccurrenceID
    package var target: Campaign.Target
    /// Which text of a personal campaign it is. `nil` for other campaigns.
    package var text: ShownText?
    /// When the send begins: now, or when it is due.
    package var at: Date
    /// The first request of the send to each class of recipients; empty if there are no recipients.
    package var requests: [ShownRequest] = []
    /// How many requests the send makes; of a personal campaign, those with this text. `nil` if lists were not read.
    package var requestCount: Int?
    /// What devices get from the message of each class.
    package var devices: [DevicePayload] = []
    package var warnings: [String] = []

    /// One HTTP request. Secrets are replaced by words that say what they are.
    package struct ShownRequest: Hashable, Sendable {
        package var method: String
        package var url: String
        package var headers: [String: String]
        package var body: JSONValue
    }

    /// Everything besides the campaign that a preview depends on.
    package struct Surroundings: Sendable {
        package var settings: Settings
        /// The registrations of listed recipients.
        package var registrations: [RecipientID: Registration]
        /// The address before FCM's paths, without a slash at the end.
        package var endpoint: String
        /// Whether requests carry an access token; those to an emulator do not.
        package var signsIn: Bool
        /// Names registrations as reports do. Without it they are only counted.
        package var fingerprints: Fingerprinter?
        package var platforms: [Platform]
        /// Whether nobody is known, because lists were not read.
        package var listsSkipped = false

        package init(
            settings: Settings, registrations: [RecipientID: Registration], endpoint: String,
            signsIn: Bool, fingerprints: Fingerprinter? = nil, platforms: [Platform] = Platform.allCases
        ) {
            self.settings = settings
            self.registrations = registrations
            self.endpoint = endpoint
            self.signsIn = signsIn
            self.fingerprints = fingerprints
            self.platforms = platforms
        }
    }

    /// Throws if the message cannot be written as JSON.
    ///
    /// - Parameter text: the text to show. Only personal campaigns have several, and they need one.
    package init(of wanted: DesiredSend, showing text: ChosenText? = nil, in surroundings: Surroundings, at now: Date)
        throws
    {
        let campaign = wanted.campaign
        var timing = Timing(campaign, now)
        timing.wait(forWindowOf: campaign)
        self.campaign = campaign.name.value
        occurrence =
            timing.local.map { .init(campaign: campaign.name.value, local: $0, revision: campaign.revision) }
            ?? OccurrenceID(campaign: campaign.name.value, due: timing.due, revision: campaign.revision)
        target = campaign.target.value
        at = timing.at
        self.text = text.flatMap { ShownText($0, of: campaign) }
        let isOne = campaign.target.value.isOneRequest(campaign.delivery)
        let known = text.map { wanted.census?.classes[$0.recipients]?.count ?? 0 } ?? wanted.members.count
        let isKnown = isOne || campaign.target.value.namesRegistrations || !surroundings.listsSkipped
        requestCount = isKnown ? known : nil
        warnings = timing.warnings
        if !campaign.enabled { warnings.append("the campaign is disabled: no run sends it") }
        if known == 0 { warnings.append(Self.emptiness(wanted, surroundings)) }
        if let mistake = text?.mistake { warnings.append("these values make no message: \(mistake.words)") }

        let content = text?.message(of: campaign).map { MessageContent($0) } ?? campaign.content
        let work = try StepWork(
            .send(Plan.Send(wanted, occurrence, timing, content)), key: Self.anyKey, isDryRun: false, begun: timing.at,
            now: timing.at)
        let shown = text.map { $0.members } ?? wanted.members
        for (_, sample) in content.samples(of: shown) {
            let registration = isOne ? nil : sample.flatMap { surroundings.registrations[$0] }
            // Without a recipient there is no request, but the message can still be shown as devices would get it.
            let addressee = Addressee(
                id: sample ?? 0, registration: isOne ? nil : registration ?? Self.anyRegistration)
            try show(work.request(for: [addressee]), to: registration, isMade: known > 0, in: surroundings)
        }
        noteSize()
    }

    /// Adds a request, if it would be made, and what devices get from its message.
    private mutating func show(
        _ call: Request?, to registration: Registration?, isMade: Bool, in surroundings: Surroundings
    ) throws {
        guard let call else { return }
        let settings = surroundings.settings
        let project = Project(id: settings.project, senderID: settings.senderID.flatMap { SenderID(rawValue: $0) })
        let wire = call.wire(project: project)
        var body = try JSONValue(parsing: wire.body).object ?? [:]
        var message = body["message"]?.object ?? [:]
        for (field, name) in Self.masks(
            target, registration, requestCount, surroundings.fingerprints, isEach: text != nil)
        where message[field] != nil {
            message[field] = .string(name)
        }
        message.hideLiveActivity()
        body["message"] = .object(message)
        if isMade { requests.append(ShownRequest(wire, .object(body), surroundings)) }
        devices += surroundings.platforms.map { platform in
            DevicePayload(of: message, on: platform, stamp: .placeholder(settings, at))
        }
    }

    /// Never shown: the preview names what they address instead.
    private static let anyKey = NotificationKey(rawValue: "key")
    private static let anyRegistration = Registration(String(repeating: "c", count: 22))

    /// The words that are shown in place of secrets.
    private static func masks(
        _ target: Campaign.Target, _ first: Registration?, _ count: Int?, _ fingerprints: Fingerprinter?, isEach: Bool
    ) -> [(field: String, name: String)] {
        if let first {
            let name = fingerprints?.name(first) ?? "<registration 1\(count.map { " of \($0.grouped)" } ?? "")>"
            return [(first.kind.rawValue, name)]
        }
        if case .group(let group) = target, !isEach { return [("token", "<notification key of \(group)>")] }
        // A text that is filled with a sample goes to nobody.
        return isEach ? [("token", "<registration>"), ("fid", "<registration>")] : []
    }

    /// Why no request is made.
    private static func emptiness(_ wanted: DesiredSend, _ surroundings: Surroundings) -> String {
        if surroundings.listsSkipped { return "lists were not read: nobody is counted, and no request is shown" }
        return wanted.members.isEmpty ? "there is nobody to send to" : "nobody gets this text"
    }

    /// FCM's pages disagree on the size limit for topics and conditions.
    private mutating func noteSize() {
        let largest = devices.map(\.size).max() ?? 0
        guard !target.topics.isEmpty, (2049...DevicePayload.maximumSize).contains(largest) else { return }
        warnings.append("\(largest.grouped) bytes: by one of FCM's pages a message to topics has at most 2,048")
    }
}

extension DesiredSend {
    /// The recipients whose requests are shown, if each recipient has a request of their own.
    package var sampled: [RecipientID] { campaign.content.samples(of: members).compactMap(\.sample) }
}

extension Preview {
    /// Which occurrence is shown, and when it is sent.
    fileprivate struct Timing {
        var due: Date?
        /// For a campaign in local time.
        var local: LocalTime?
        var at: Date
        /// When the window closes in which it is sent.
        var closing: Date?
        var warnings: [String] = []

        init(_ campaign: Campaign, _ now: Date) {
            at = now
            switch campaign.schedule.times {
            case .once: break
            case .at(let date):
                due = date
                let isTooLate = campaign.limits(due: date).late(at: now) != nil
                if isTooLate { warnings.append("it was due at \(date.rfc3339) and is too late to be sent") }
                if date > now || isTooLate { at = date }
            case .cron:
                due = campaign.schedule.next(after: now)
                if let due { at = due } else { warnings.append("its schedule is over") }
            case .local(let schedule):
                let end = LocalTime(year: 9999, month: 12, day: 31)
                local = schedule.times(after: LocalTime(latestAt: now), through: end, limit: 1).first
                guard let local else {
                    warnings.append("its schedule is over, or some clocks have passed it")
                    return
                }
                // Shown as those see it whose row names no zone.
                let reached = campaign.schedule.reaching(local, in: campaign.schedule.zone).instant
                (due, at) = (reached, reached)
            }
        }

        /// Nothing starts while the window is closed, by the clock of those whose row names no zone.
        mutating func wait(forWindowOf campaign: Campaign) {
            guard let window = campaign.windowOfTarget else { return }
            let whom = window.field == nil ? "" : " to those whose row names no zone"
            var standing = window.hours.standing(at: at, in: window.zone)
            if !standing.isOpen {
                guard window.whenClosed == .wait, let opening = standing.until else {
                    warnings.append("its window is closed then (\(window.words)): it is not sent\(whom)")
                    return
                }
                at = opening
                standing = window.hours.standing(at: at, in: window.zone)
                if campaign.limits(due: due).expired(at: at) != nil {
                    warnings.append("it expires before its window opens (\(window.words)): it is not sent\(whom)")
                }
            }
            closing = standing.until
        }
    }
}

extension Plan.Send {
    /// The whole occurrence of a campaign, as if none of it had been sent.
    fileprivate init(
        _ wanted: DesiredSend, _ occurrence: OccurrenceID, _ timing: Preview.Timing, _ content: MessageContent
    ) {
        let campaign = wanted.campaign
        self.init(
            campaign: campaign.name.value, occurrence: occurrence, revision: campaign.revision, due: timing.due,
            target: campaign.target.value, contentDigest: campaign.contentDigest, content: content,
            deadline: nil, delivery: campaign.delivery, members: wanted.members, discovered: [],
            recipients: wanted.members.count, isResumed: false)
        // There is one for all who are shown.
        if let closing = timing.closing { closings = Partition(disjoint: [closing: .target]) }
    }
}

extension Preview.ShownRequest {
    fileprivate init(_ wire: WireRequest, _ body: JSONValue, _ surroundings: Preview.Surroundings) {
        method = wire.method
        url = surroundings.endpoint + wire.path
        headers = Dictionary(wire.headers.map { ($0.name, $0.value) }) { first, _ in first }
        if surroundings.signsIn { headers["authorization"] = "Bearer <access token>" }
        self.body = body
    }
}

extension [String: JSONValue] {
    /// A live activity's token names one device, just as a registration does.
    fileprivate mutating func hideLiveActivity() {
        guard var apns = self["apns"]?.object, apns["live_activity_token"] != nil else { return }
        apns["live_activity_token"] = "<live activity token>"
        self["apns"] = .object(apns)
    }
}

extension DevicePayload.Stamp {
    fileprivate static func placeholder(_ settings: Settings, _ instant: Date) -> Self {
        .init(
            messageID: "<message id>", installation: "<fid>", sender: settings.senderID ?? "<project number>",
            secondsSince1970: Int(instant.timeIntervalSince1970))
    }
}
