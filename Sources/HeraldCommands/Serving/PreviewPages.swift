import Foundation
import HeraldCore

/// The page of previews, made anew whenever a file of the workspace has changed.
actor PreviewPages {
    struct Page {
        let version: String
        let html: String
    }

    private let common: Common
    private let lists: ListPolicy
    private let make: @Sendable (CommandContext) async throws -> [Preview]
    private var page: Page?
    private var watched: [String]
    private let folder: WorkspaceFolder

    init(
        _ common: Common, _ lists: ListPolicy, _ make: @escaping @Sendable (CommandContext) async throws -> [Preview]
    ) throws {
        (self.common, self.lists) = (common, lists)
        self.make = make
        folder = try LoadedWorkspace.folder(common)
        watched = [folder.path]
    }

    /// Changes when a file does. The same files have another version in another process.
    func version() -> String { FileStamps.digest(of: watched) }

    /// The page of the current files. The version is taken before they are read: a file that changes meanwhile makes
    /// the page load again.
    func current() async -> Page {
        let version = version()
        if let page, page.version == version { return page }
        let page = Page(version: version, html: await html(version))
        self.page = page
        return page
    }

    private func html(_ version: String) async -> String {
        let loaded = WorkspaceLoader.load(
            folder, environment: common.environment, lists: lists, at: common.machine.now())
        if let lists = loaded.workspace?.settings.lists {
            watched = [folder.path, folder.lists(lists)]
        }
        guard !loaded.diagnostics.hasErrors else {
            let text = DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources).text(.plain)
            return PreviewsDocument([]).page(version: version, mistakes: text)
        }
        do {
            return PreviewsDocument(try await make(CommandContext.open(common, lists: lists))).page(version: version)
        } catch {
            let text = CommandFailure(blaming: error).text
            return PreviewsDocument([]).page(version: version, mistakes: text.maskingRegistrations)
        }
    }
}
