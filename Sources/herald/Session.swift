import ArgumentParser
import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// A workspace that was read and found good, and the surroundings it is used in.
struct Session {
    let common: Common
    let folder: WorkspaceFolder
    let workspace: Workspace
    let endpoint: Endpoint
    let endpointKind: EndpointKind
    let certificateAuthorities: String?
    /// Absolute.
    let statePath: String

    var console: Console { common.console }

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
    static func open(_ common: Common) throws -> Session {
        let folder = try folder(common)
        let environment = ProcessInfo.processInfo.environment
        let loaded = WorkspaceLoader.load(folder, environment: environment)
        let document = DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources)
        if !loaded.diagnostics.isEmpty { common.console.error(document.text(common.console.errors)) }
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { throw ExitStatus.wrong.code }
        return try Session(common, folder, workspace, environment)
    }

    private init(
        _ common: Common, _ folder: WorkspaceFolder, _ workspace: Workspace, _ environment: [String: String]
    ) throws {
        self.common = common
        self.folder = folder
        self.workspace = workspace
        let settings = workspace.settings
        let emulator = environment["FCM_EMULATOR_HOST", default: ""]
        do {
            if emulator.isEmpty {
                endpoint = try Endpoint(settings.fcm.endpoint)
                certificateAuthorities = settings.fcm.ca.map { $0.absolute(in: folder.path) }
            } else {
                endpoint = try Endpoint(emulator.contains("://") ? emulator : "http://\(emulator)")
                certificateAuthorities = environment["FCM_EMULATOR_CA"]
            }
        } catch {
            let name = emulator.isEmpty ? "fcm.endpoint" : "FCM_EMULATOR_HOST"
            throw common.console.end(.wrong, "\(name): \(error)\(Self.advice(on: emulator))")
        }
        endpointKind = endpoint == .fcm ? .fcm : .emulator
        let override = environment["HERALD_STATE"].flatMap { $0.isEmpty ? nil : $0 }
        statePath = override?.absolute(in: nil) ?? settings.state.absolute(in: folder.path)
        if settings.fcm.rate == .unlimited || settings.fcm.subscriptionRate == .unlimited, !endpoint.isLoopback {
            throw common.console.end(.wrong, "a rate may be unlimited only towards this machine, not \(endpoint)")
        }
    }

    /// What people put into FCM_EMULATOR_HOST by mistake.
    private static func advice(on emulator: String) -> String {
        emulator.contains("=") ? "; give only what follows the '='" : ""
    }

    /// The settings a run works by: FCM's stand-in needs no time to settle.
    var fcmSettings: FCMSettings {
        var fcm = workspace.settings.fcm
        if endpointKind == .emulator { fcm.settle = .zero }
        return fcm
    }

    /// What a new record is bound to.
    func newIdentity(created: Date) -> Record.Identity {
        Record.Identity(
            lineage: UUID().uuidString.lowercased(), project: workspace.settings.project, endpoint: endpointKind,
            created: created)
    }

    /// The record, or `nil` when there is none yet.
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

    /// What the workspace and the record make of an instant.
    func plan(with store: (any StateStore)?, at now: Date, campaigns: [String]) async throws -> (Plan, Desired) {
        try checkCampaigns(campaigns)
        do {
            let record = try await store?.record() ?? Record(identity: newIdentity(created: now))
            let known = try await store?.recipients(for: Resolver.keys(in: workspace)) ?? [:]
            let desired = Resolver.desired(of: workspace, known: known, next: record.nextRecipient)
            let input = Planner.Input(
                desired: desired, record: record, hasRecord: store != nil, settings: workspace.settings,
                workspaceDigest: workspace.digest, onlyCampaigns: Set(campaigns))
            return (Planner.plan(input, at: now), desired)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    private func checkCampaigns(_ names: [String]) throws {
        let known = workspace.campaigns.map(\.name.value)
        for name in names where !known.contains(name) {
            let near = suggestion(for: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
            throw console.end(.wrong, "no file declares campaign '\(name)'\(near)")
        }
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
