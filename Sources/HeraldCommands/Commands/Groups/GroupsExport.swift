import ArgumentParser
import FCM
import Foundation
import HeraldCore
import HeraldStore

struct GroupsExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the members of device groups to a list that an audience can name.",
        discussion: """
            The members are those that the state has, also those of whom FCM's answer is not known. The list is a CSV \
            with the columns token, fid and group: 'where: {group: NAME}' in an audience takes one group out of several. \
            FCM ends device groups on \(EndOfService.day); a campaign to that audience reaches the same devices.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The group.")
    var name: String?

    @Flag(help: "All groups that the state has.")
    var all = false

    @Option(help: "The list's file, which only you can read. Rows of other groups in it stay.", completion: .file())
    var out: String?

    func validate() throws {
        try ValidationError.require(
            name == nil || !all, "--all and a group cannot be combined", help: "leave out one of them")
    }

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        guard out != nil || context.common.revealsRegistrations else {
            throw CommandFailure(
                .usage, "the list has registrations in clear",
                help: "name its file with --out, or print it with --reveal-registrations")
        }
        let store = try await context.state.open(for: .inspecting)
        let state = try await store.snapshot()
        var list = try out.map { try MemberList(replacing: $0) } ?? MemberList()
        for group in try chosen(of: state.groups.keys.sorted()) {
            list.add(try await store.registrations(of: state.recipients(in: group)), of: group)
            let unsure = state.groups[group]?.adding.count ?? 0
            if unsure > 0 { context.console.error(MemberList.warning(of: unsure, in: group)) }
        }
        guard let out else { return context.console.result(list.text) }
        do { try PrivateFile.write(list.text, to: out) } catch {
            throw CommandFailure.unwritable("the list cannot be written to \(out)")
        }
        context.console.info("herald: \(list.summary(in: out))\n")
    }

    private func chosen(of known: [GroupName]) throws -> [GroupName] {
        if all { return known }
        let names = known.map(\.rawValue)
        guard let name else {
            throw CommandFailure(
                .wrong, "no group is named", help: "name a group, or add --all; " + MemberList.sentence(on: names))
        }
        if let group = known.first(where: { $0.rawValue == name }) { return [group] }
        throw CommandFailure(
            .wrong, "the state has no group '\(name)'", for: name, among: names, help: MemberList.sentence(on: names))
    }
}
