import ArgumentParser
import FCM
import Foundation
import HeraldCore
import HeraldStore

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, read and repair the state of what herald did.",
        subcommands: [
            StateInit.self, StateShow.self, StateFind.self, StateForget.self, StateExport.self, StateRemove.self,
            StateResolve.self,
        ])

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
}

struct StateInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make an empty state, bound to this project and endpoint.",
        discussion: "So that 'run' may begin; the first apply makes one as well. An existing state stays as it is.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        guard try session.openStore() == nil else {
            throw session.console.end(.wrong, "there is a state already at \(session.statePath)")
        }
        do {
            // An apply may be making one at this moment.
            let lock = try RunLock(for: session.statePath, run: "state init")
            defer { withExtendedLifetime(lock) {} }
            _ = try SQLiteStore.create(at: session.statePath, identity: session.newIdentity(created: Date()))
        } catch let error as StateError {
            throw session.console.end(error)
        }
        session.console.info(
            "herald: made the state \(session.statePath) for project '\(session.workspace.settings.project)' at \(session.endpointKind.rawValue)\n"
        )
    }
}

struct StateShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show memberships and occurrences as the state has them.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "Only this topic, group, campaign or occurrence.")
    var name: String?

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.reading { store in
            let document = StateDocument(try await store.snapshot(), only: name)
            if let name, document.isEmpty {
                throw session.console.end(.wrong, "the state has no topic, group, campaign or occurrence '\(name)'")
            }
            session.console.result(document.rendered(as: format, session.console.output))
        }
    }
}

struct StateFind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Show what the state has of one registration.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.reading { store in
            guard let known = try await store.recipient(for: registration.value.recipientKey) else {
                throw session.console.end(.wrong, "the state does not know this registration")
            }
            let names = Fingerprinter(
                key: store.fingerprintKey, reveals: session.common.revealsRegistrations)
            let document = TraceDocument(
                try await store.trace(of: known.id), registration: names.name(known.registration))
            session.console.result(document.rendered(as: format, session.console.output))
        }
    }
}

struct StateForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Treat a registration as dead: it is left out from now on.",
        discussion: "As if FCM had said so. Its memberships leave the state; FCM is not asked to remove them.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.repairing { store in
            let last = try await store.snapshot().nextRecipient - 1
            let known = try await store.recipient(for: registration.value.recipientKey)
            var ids = known.map { [$0.id] } ?? []
            if known == nil { ids = try await store.intern([Arrival(registration.value)], comparedUpTo: last) }
            try await store.commit([.forget(RecipientSet(ids))])
        }
        session.console.info("herald: forgotten\n")
    }
}

struct StateExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "List the state's registrations, one JSON object a line.",
        discussion: """
            With their topics and groups. They appear as fingerprints unless --reveal-registrations stands beside it; \
            an app's server needs them in clear to delete what is dead.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Flag(help: "Only those FCM declared dead.")
    var dead = false

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.reading { store in
            let names = Fingerprinter(
                key: store.fingerprintKey, reveals: session.common.revealsRegistrations)
            let state = try await store.snapshot()
            let all = dead ? state.dead : RecipientSet(KnownRecipient.firstID..<state.nextRecipient)
            let topics = state.topics.sorted { $0.key < $1.key }
            let groups = state.groups.sorted { $0.key < $1.key }
            for part in Array(all).chunks(of: 4096) {
                let registrations = try await store.registrations(of: RecipientSet(part))
                var text = ""
                for (id, registration) in registrations.sorted(by: { $0.key < $1.key }) {
                    let line: JSONValue = [
                        "registration": .string(names.name(registration)),
                        "kind": .string(registration.kind.rawValue), "dead": .bool(state.dead.contains(id)),
                        "topics": .array(
                            topics.filter { $0.value.managed.contains(id) || $0.value.preexisting.contains(id) }
                                .map { .string($0.key.rawValue) }),
                        "groups": .array(
                            groups.filter { $0.value.members.contains(id) }.map { .string($0.key.rawValue) }),
                    ]
                    text += line.compactText + "\n"
                }
                session.console.result(text)
            }
        }
    }
}

struct StateRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Take something out of the state; FCM is not told.",
        discussion: """
            topic:NAME or group:NAME: its members are nobody's any more, and if the files still list them they are \
            subscribed again. campaign:NAME or an occurrence's id: what was sent is forgotten, and is sent again where it \
            is due.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "topic:NAME, group:NAME, campaign:NAME or an occurrence's id.")
    var resource: String

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.repairing { store in
            let state = try await store.snapshot()
            guard let found = state.resource(named: resource) else {
                throw session.console.end(
                    .wrong,
                    "the state has no '\(resource)'; write topic:NAME, group:NAME, campaign:NAME or an occurrence's id"
                )
            }
            try await store.commit([.drop(found)])
        }
        session.console.info("herald: removed \(resource) from the state\n")
    }
}

struct StateResolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Settle what herald does not decide by itself.",
        discussion: """
            For recipients who may or may not have got it: --accept, --resend or --abandon. For an occurrence that is \
            half done and held: --continue with what the file says now, or --abandon. For refused recipients: --retry \
            with the code that 'state show' names.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The occurrence, as 'plan' and 'state show' name it.")
    var occurrence: String

    @Flag(help: "Those who may have got it did.")
    var accept = false

    @Flag(help: "Those who may have got it are sent it again, by the next apply or run.")
    var resend = false

    @Flag(help: "It is over, whoever may be left.")
    var abandon = false

    @Flag(name: .customLong("continue"), help: "It goes on with the message and time that the file has now.")
    var goOn = false

    @Option(help: ArgumentHelp("Those who were refused with this code are tried again.", valueName: "code"))
    var retry: String?

    func validate() throws {
        let chosen = [accept, resend, abandon, goOn, retry != nil].filter(\.self).count
        if chosen != 1 {
            throw ValidationError("say how: one of --accept, --resend, --abandon, --continue, --retry CODE")
        }
    }

    private var resolution: Resolution {
        if accept { return .accept }
        if resend { return .resend }
        if abandon { return .abandon }
        return retry.map { .retry(code: $0) } ?? .goOn
    }

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        let id = OccurrenceID(rawValue: occurrence)
        try await session.repairing { store in
            var state = try await store.snapshot()
            state.occurrences[id] = try await store.occurrence(id)
            let name = state.occurrences[id]?.campaign
            let campaign = session.workspace.campaigns.first { $0.name.value == name }
            let changes: [StateChange]
            do throws(ResolutionProblem) {
                changes = try state.changes(resolving: id, by: resolution, campaign: campaign, at: Date())
            } catch {
                throw session.console.end(.wrong, words(for: error, state))
            }
            try await store.commit(changes)
        }
        session.console.info("herald: settled \(occurrence)\n")
    }

    private func words(for problem: ResolutionProblem, _ state: RecordedState) -> String {
        switch problem {
        case .noOccurrence:
            let near = suggestion(for: occurrence, among: state.occurrences.keys.map(\.rawValue))
            return "the state has no occurrence '\(occurrence)'\(near.map { "; did you mean '\($0)'?" } ?? "")"
        case .nobodyUncertain: return "of \(occurrence) there is nobody of whom it is unknown whether they got it"
        case .alreadyFinished: return "\(occurrence) is over already"
        case .noCampaign(let name, let revision):
            return "no file declares campaign '\(name)' with revision \(revision); it can only be abandoned"
        case .nobodyRejected(let code, let known):
            let others = known.isEmpty ? "nobody was" : "there are: \(known.joined(separator: ", "))"
            return "nobody was refused \(occurrence) with '\(code)'; \(others)"
        case .tooLate(let since):
            return "\(occurrence) is later than max_lateness allows since \(since.rfc3339): nobody would be sent it; "
                + "a longer max_lateness in the campaign's file would allow it"
        }
    }
}

/// A registration on the command line; what is wrong with one is never echoed.
struct RegistrationArgument: ExpressibleByArgument {
    let value: Registration

    init?(argument: String) {
        guard let value = Registration(argument) else { return nil }
        self.value = value
    }
}

extension Session {
    /// The state, which must exist, for looking only.
    func reading(_ body: (SQLiteStore) async throws -> Void) async throws {
        guard let store = try openStore() else { throw console.end(.missing(path: statePath)) }
        do { try await body(store) } catch let error as StateError { throw console.end(error) }
    }

    /// Ends the command where there is no state, before anything is made beside it.
    func requireState() throws {
        guard FileManager.default.fileExists(atPath: statePath) else {
            throw console.end(.missing(path: statePath))
        }
    }

    /// The state for changes that no run may be in the middle of.
    func repairing(_ body: (SQLiteStore) async throws -> Void) async throws {
        try requireState()
        do {
            let lock = try RunLock(for: statePath, run: "state")
            defer { withExtendedLifetime(lock) {} }
            try await reading(body)
        } catch let error as StateError {
            throw console.end(error)
        }
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
