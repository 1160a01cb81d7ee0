import ArgumentParser
import Foundation
import HeraldCore

struct SiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Write pages of the workspace for people who do not read YAML.",
        discussion: """
            A calendar by month, every campaign with its pictures on phones and computers, what was changed in the last 30 \
            days, runs with their reports, and what 'status' says. Offline. The pages load nothing and need no script. They \
            show texts that were not sent yet, so publish them only where people must sign in. The whole folder is \
            replaced at once.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var snapshot: SnapshotOptions

    @Option(
        name: .customLong("out"),
        help: ArgumentHelp("The folder: new, empty, or a site of herald's.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp("Where the site will be; pages name it as their address.", valueName: "url"))
    var base: BaseAddress?

    @Option(help: ArgumentHelp("Look from another instant: 2026-12-01T09:00:00+01:00.", valueName: "time"))
    var at: TimeArgument?

    @Option(help: "required, or skip: do not read lists, so that recipients are not counted.")
    var lists: ListPolicy = .required

    func run() async throws {
        let common = Common(herald.common, options)
        let now = at?.date ?? common.machine.now()
        let folder = try SiteFolder(folder)
        let context = try CommandContext.open(
            common, lists: lists, at: now, cache: snapshot.snapshot == nil ? cache.use : nil)
        var site = try await context.site(snapshot, at: now)
        site.base = base?.text
        let pages = site.pages
        try folder.replace(with: pages)
        common.console.info("herald: wrote \(count(pages.count, "page")) to \(self.folder)\n")
    }
}

/// The address of a site, without a slash at its end.
struct BaseAddress: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let parts = URLComponents(string: argument), ["https", "http"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil
        else { return nil }
        text = String(argument.reversed().drop { $0 == "/" }.reversed())
    }
}
