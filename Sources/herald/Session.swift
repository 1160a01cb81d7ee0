import ArgumentParser
import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import Logging

/// A workspace that was read and found good, and the surroundings it is used in.
struct Session {
    let common: Common
    let folder: WorkspaceFolder
    let workspace: Workspace
    /// Whom its lists name.
    let recipientIndex: RecipientIndex
    /// Of the files' names and contents; see `WorkspaceLoader.Loaded.digest`.
    private let workspaceDigest: String
    private let listDigests: [String: String]
    private let cacheFiles: ListCacheFiles?
    let endpoints: Endpoints
    let endpointKind: EndpointKind
    let certificateAuthorities: String?
    /// Whether FCM_EMULATOR_HOST decides where calls go: no credential ever goes there.
    let isEmulator: Bool
    /// Absolute.
    let statePath: String

    var console: Console { common.console }
    var endpoint: Endpoint { endpoints.fcm }

    /// Finds the workspace's folder or ends the command.
    static func folder(_ common: Common) throws -> WorkspaceFolder {
        let here = FileManager.default.currentDirectoryPath
        if let path = common.workspace {
            guard let folder = WorkspaceFolder(at: path) else {
                throw common.console.end(.wrong, "there is no herald.yaml in \(path)")
            }
            return folder
        }
        guard let folder = WorkspaceFolder(above: here) else {
            throw common.console.end(
                .wrong, "there is no herald.yaml here or in a folder above; 'herald init' makes a workspace")
        }
        return folder
    }

    /// Reads the workspace; its errors end the command, its warnings do not.
    ///
    /// - Parameter cache: whether lists that did not change need not be read; `nil` where nothing is planned.
    static func open(
        _ common: Common, lists: ListPolicy = .required, cache: CacheUse? = nil
    ) throws -> Session {
        let folder = try folder(common)
        let environment = ProcessInfo.processInfo.environment
        let loaded = WorkspaceLoader.load(folder, environment: environment, lists: lists) { settings in
            guard let cache, lists == .required else { return nil }
            return ListCacheFiles(
                beside: statePath(settings, in: folder, environment), host: HostName.current, version: Herald.version,
                isRead: cache == .use, now: { HostName.nanoseconds })
        }
        let document = DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources)
        if !loaded.diagnostics.isEmpty { common.console.error(document.text(common.console.errors)) }
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { throw ExitStatus.wrong.code }
        return try Session(common, folder, workspace, loaded, environment)
    }

    /// Reads the workspace for what needs its settings only, such as pausing in a hurry: mistakes elsewhere do not count.
    static func openSettings(_ common: Common) throws -> Session {
        let folder = try folder(common)
        let environment = ProcessInfo.processInfo.environment
        let loaded = WorkspaceLoader.load(folder, environment: environment, lists: .skip)
        let wrong = loaded.diagnostics.filter {
            $0.severity == .error && $0.range.file == WorkspaceFolder.settingsFile
        }
        guard let workspace = loaded.workspace, wrong.isEmpty else {
            common.console.error(DiagnosticsDocument(wrong, sources: loaded.sources).text(common.console.errors))
            throw ExitStatus.wrong.code
        }
        return try Session(common, folder, workspace, loaded, environment)
    }

    private init(
        _ common: Common, _ folder: WorkspaceFolder, _ workspace: Workspace, _ loaded: WorkspaceLoader.Loaded,
        _ environment: [String: String]
    ) throws {
        self.common = common
        self.folder = folder
        self.workspace = workspace
        workspaceDigest = loaded.digest()
        (listDigests, cacheFiles) = (loaded.listDigests, loaded.cacheFiles)
        switch loaded.recipientIndex {
        case .success(let recipientIndex)?: self.recipientIndex = recipientIndex
        case .failure(let problem)?: throw common.console.end(.wrong, problem.description)
        case nil: recipientIndex = .empty
        }
        let settings = workspace.settings
        let emulator = environment["FCM_EMULATOR_HOST", default: ""]
        isEmulator = !emulator.isEmpty
        var name = isEmulator ? "FCM_EMULATOR_HOST" : "fcm.endpoint"
        do {
            if emulator.isEmpty {
                let fcm = try Endpoint(settings.fcm.endpoint)
                name = "fcm.iid_endpoint"
                let iid = try Endpoint(settings.fcm.iidEndpoint)
                // Who points FCM elsewhere does not mean batches to go to Google.
                endpoints = fcm != .fcm && iid == .iid ? Endpoints(fcm) : Endpoints(fcm: fcm, iid: iid)
                certificateAuthorities = settings.fcm.ca.map { $0.absolute(in: folder.path) }
            } else {
                endpoints = Endpoints(try Endpoint(emulator.contains("://") ? emulator : "http://\(emulator)"))
                certificateAuthorities = environment["FCM_EMULATOR_CA"]
            }
        } catch {
            throw common.console.end(.wrong, "\(name): \(error)\(Self.advice(on: emulator))")
        }
        let endpoint = endpoints.fcm
        endpointKind = endpoint == .fcm ? .fcm : .emulator
        statePath = Self.statePath(settings, in: folder, environment)
        if settings.fcm.rate == .unlimited || settings.fcm.subscriptionRate == .unlimited, !endpoint.isLoopback {
            throw common.console.end(.wrong, "a rate may be unlimited only towards this machine, not \(endpoint)")
        }
    }

    private static func statePath(
        _ settings: Settings, in folder: WorkspaceFolder, _ environment: [String: String]
    ) -> String {
        let override = environment["HERALD_STATE"].flatMap { $0.isEmpty ? nil : $0 }
        return override?.absolute(in: nil) ?? settings.state.absolute(in: folder.path)
    }

    /// What people put into FCM_EMULATOR_HOST by mistake.
    private static func advice(on emulator: String) -> String {
        emulator.contains("=") ? "; give only what follows the '='" : ""
    }

    /// The settings a run works by: FCM's stand-in needs no time to settle.
    var fcmSettings: FCMSettings {
        var fcm = workspace.settings.fcm
        if endpointKind == .emulator { fcm.propagationDelay = .zero }
        return fcm
    }

    /// What a new state is bound to.
    func newIdentity(created: Date) -> RecordedState.Identity {
        RecordedState.Identity(
            lineage: UUID().uuidString.lowercased(), project: workspace.settings.project, endpoint: endpointKind,
            created: created)
    }

    /// The state, or `nil` when there is none yet.
    func openStore() throws -> SQLiteStore? {
        do {
            return try SQLiteStore.open(
                at: statePath, project: workspace.settings.project, endpoint: endpointKind)
        } catch StateError.missing {
            return nil
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    /// Whom the workspace means, by the state's numbers.
    ///
    /// - Parameter isForApply: whether a state is made where there is none.
    func wanted(knownTo store: (any StateStore)?, isForApply: Bool = true) async throws -> Wanted {
        let isKept = cacheFiles != nil && (store != nil || isForApply)
        do {
            return try await Wanted(
                workspace, recipientIndex, knownTo: store, noting: isKept ? HostName.randomKey : nil,
                keep: cacheFiles?.keeper, sorted: indexReadAgain)
        } catch let error as RecipientIndexError {
            throw end(error)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    /// For a state that is not the one whose numbers the cache has.
    private func indexReadAgain() throws -> RecipientIndex {
        let environment = ProcessInfo.processInfo.environment
        let read = WorkspaceLoader.lists(
            of: workspace, in: folder, environment: environment, cacheFiles: cacheFiles)
        guard read.digests == listDigests else {
            throw console.end(.wrong, "a list changed while it was read; run the command again")
        }
        return try read.recipientIndex.get()
    }

    /// A damaged state is told apart from lists that cannot be sorted.
    func end(_ error: RecipientIndexError) -> ExitCode {
        if error == .recordedTwice { return console.end(.damaged(path: statePath, detail: error.description)) }
        return console.end(.wrong, error.description)
    }

    /// Writes down whom the state does not know yet: whoever is sent to, or subscribed, has a number there.
    func record(_ wanted: Wanted, in store: any StateStore) async throws {
        do {
            try await wanted.record(in: store)
        } catch let error as RecipientIndexError {
            throw end(error)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    /// What workspace and state make of an instant.
    func plan(
        _ desired: Desired, with store: (any StateStore)?, at now: Date, campaigns: [String] = [], days: Int = 7
    ) async throws -> Plan {
        try checkCampaigns(campaigns)
        do {
            let input = Planner.Input(
                desired: desired, state: try await store?.state() ?? RecordedState(identity: newIdentity(created: now)),
                hasState: store != nil, settings: workspace.settings, workspaceDigest: workspaceDigest,
                onlyCampaigns: Set(campaigns), days: days, listsSkipped: workspace.listsSkipped)
            return Planner.plan(input, at: now)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    /// A client that signs in where it must. Whoever takes it shuts it down.
    func client() throws -> Connection {
        let settings = workspace.settings
        let logger = Logger(label: "herald.client", factory: { _ in SwiftLogNoOpLogHandler() })
        do {
            let source = try tokenSource(logger)
            let client = try FCMClient(
                endpoints: endpoints,
                project: Project(id: settings.project, senderID: settings.senderID.flatMap(SenderID.init(rawValue:))),
                timeout: settings.fcm.timeout, maxInFlight: settings.fcm.maxInFlight,
                certificateAuthorities: certificateAuthorities, authorization: source?.authorization, logger: logger)
            return Connection(sender: client, source: source) {
                await client.shutdown()
                await source?.shutdown()
            }
        } catch let error as FCMClientError {
            throw console.end(.wrong, error.description)
        }
    }

    /// What calls go through.
    struct Connection {
        let sender: any Sender
        fileprivate let source: TokenSource?
        let shutdown: @Sendable () async -> Void

        /// Why Google does not want these credentials; `nil` where it does, needs none, or cannot be asked now.
        func refusal() async -> String? {
            do throws(TokenError) {
                _ = try await source?.token()
                return nil
            } catch {
                return error.isPermanent ? error.description : nil
            }
        }
    }

    private func tokenSource(_ logger: Logger) throws -> TokenSource? {
        guard let account = try account() else { return nil }
        return try TokenSource(
            account, timeout: workspace.settings.fcm.timeout, certificateAuthorities: certificateAuthorities,
            now: { Date() }, logger: logger)
    }

    /// Whom calls are made as; `nil` where nobody asks. The command ends where there is nobody and should be.
    @discardableResult
    func account() throws -> ServiceAccount? {
        if isEmulator { return nil }
        guard let account = try KeyFile.account(for: self) else {
            if endpoint.isLoopback { return nil }
            throw console.end(
                .wrong,
                "there are no credentials for \(endpoint); set GOOGLE_APPLICATION_CREDENTIALS or fcm.credentials to a service account's key file, or FCM_EMULATOR_HOST to an emulator"
            )
        }
        return account
    }

    private func checkCampaigns(_ names: [String]) throws {
        for name in names { _ = try campaign(named: name) }
    }

    /// The campaign of that name, or the command ends.
    func campaign(named name: String) throws -> Campaign {
        if let campaign = workspace.campaigns.first(where: { $0.name.value == name }) { return campaign }
        let near = suggestion(for: name, among: workspace.campaigns.map(\.name.value))
        throw console.end(
            .wrong, "no file declares campaign '\(name)'\(near.map { "; did you mean '\($0)'?" } ?? "")")
    }
}

extension String {
    /// The path as it stands, or below `folder` (else the current one) where it is relative.
    func absolute(in folder: String?) -> String {
        hasPrefix("/") ? self : "\(folder ?? FileManager.default.currentDirectoryPath)/\(self)"
    }
}

/// A time on the command line, with its offset; before the year 9000, since what follows it must be a time as well.
struct TimeArgument: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        guard let date = Date(rfc3339: argument), date.timeIntervalSince1970 < 221_845_392_000 else { return nil }
        self.date = date
    }
}
