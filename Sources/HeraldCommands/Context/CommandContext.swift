import Foundation
import HeraldCore
import HeraldStore

/// What a command works with: the workspace's files, where its requests go, and where its state is.
struct CommandContext {
    let common: Common
    let files: LoadedWorkspace
    let destination: Destination
    let state: any StateLocation

    var console: Console { common.console }
    var machine: Machine { common.machine }
    var workspace: Workspace { files.workspace }
    var settings: Settings { files.workspace.settings }

    var stateOwner: StateOwner {
        StateOwner(project: settings.project, endpoint: destination.kind, workspace: settings.workspace)
    }

    /// Reads the workspace; its errors end the command, its warnings do not.
    ///
    /// - Parameters:
    ///   - time: What filters compare with. By default the current time.
    ///   - cache: Whether lists that did not change may be skipped; `nil` if nothing is planned.
    ///   - campaign: Only warnings about it and what it uses are shown.
    ///   - unfetched: Audiences whose list is not there, and that wait for it.
    static func open(
        _ common: Common, lists: ListPolicy = .required, at time: Date? = nil, cache: CacheUse? = nil,
        about campaign: String? = nil, without unfetched: Set<String> = []
    ) throws -> CommandContext {
        let context = try CommandContext(
            common,
            .read(
                common, lists: lists, at: time ?? common.machine.now(), cache: cache, about: campaign,
                without: unfetched))
        try context.destination.check(context.settings.fcm)
        return context
    }

    /// Reads the workspace for commands that need only its settings; mistakes elsewhere do not count. These commands make
    /// no calls, so it does not matter whether the endpoint may be called at the rates that the settings name.
    static func openSettings(_ common: Common) throws -> CommandContext {
        try CommandContext(common, .readSettings(common))
    }

    private init(_ common: Common, _ files: LoadedWorkspace) throws {
        self.common = common
        self.files = files
        let settings = files.workspace.settings
        destination = try Destination(settings.fcm, in: files.folder.path, environment: common.environment)
        state = common.machine.state(try settings.stateLocation(in: files.folder, common, endpoint: destination.kind))
    }
}
