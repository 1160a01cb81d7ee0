import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What seeds of a personal campaign get: the text of their row, or of the first sample.
struct StageSeedTests: StageScene {
    private static let delivery = usual + ", seeds: our-phones"

    /// - Parameters:
    ///   - members: the lines of the list, without its heading.
    ///   - more: of the campaign.
    private static func files(_ members: [String], seeds: [Int], more: String = "") -> [String: String] {
        var files = Self.files(delivery, seeds: seeds)
        files["members.csv"] = "fid,first,lang\n" + members.map { "\($0)\n" }.joined()
        files["audiences.yaml"] = files["audiences.yaml"]?.replacing(
            "source: {file: members.csv}",
            with: """
                source: {file: members.csv}
                fields: {first: {}, lang: {type: locale}}
                samples: [{first: Ada, lang: en}]
                """)
        files["hello.yaml"] = campaign(
            delivery, title: "\"Hi {{first}}\"",
            more: """
                personal: {fields: [first], locale: lang, default_locale: en}
                locales: {it: {notification: {title: "Ciao {{first}}"}}}
                \(more)
                """)
        return files
    }

    /// Named `N` and their number.
    private static func lines(_ members: some Sequence<Int>, italian: Int) -> [String] {
        members.map { line($0, "N\($0)", $0 == italian ? "it" : "en") }
    }

    private static func line(_ member: Int, _ name: String, _ language: String) -> String {
        "\(Registration.fid(member).rawValue),\(name),\(language)"
    }

    @Test func `seeds who are not on the list get the sample`() async throws {
        let town = try await town(Self.files(Self.lines(1...60, italian: 30), seeds: [4, 700]))
        #expect(try await runs(town, 0, 15) == [[4, 700], [30]])
        #expect(town.sent("Hi Ada") == [.fid(700)] && town.sent("Hi N4") == [.fid(4)])
        #expect(town.sent("Ciao N30") == [.fid(30)])
        #expect(try await runs(town, 30, 45).map(\.count) == [26, 32])
    }

    @Test func `a plan counts the texts of those whose stage is not open, too`() async throws {
        let town = try await town(Self.files(Self.lines(1...60, italian: 30), seeds: [4, 700]))
        #expect(try await runs(town, 0) == [[4, 700]])
        town.go(to: Self.monday + 15 * 60)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("hello: en 58, it 1"), "\(plan.output)")
    }

    @Test func `who leaves the list and is a seed by now gets the sample in their language`() async throws {
        let town = try await town(Self.files(Self.lines(1...60, italian: 30), seeds: [700]))
        #expect(try await runs(town, 0) == [[700]])
        let left = Self.lines((1...60).filter { $0 != 30 }, italian: 30)
        try town.folder.write("fid,first,lang\n" + left.map { "\($0)\n" }.joined(), to: "members.csv")
        try town.folder.write(Self.list([30, 700]), to: "seeds.csv")
        #expect(try await runs(town, 1, 17) == [[30], [4]])
        #expect(town.sent("Hi Ada") == [.fid(700)] && town.sent("Ciao Ada") == [.fid(30)])
    }

    /// Nearly everybody is held out, and without a soak they would get nothing to look at.
    @Test func `no seed is in a holdout, whether they have a row or not`() async throws {
        let variants = "variants: {a: {weight: 1}, none: {weight: 1000000, holdout: true}}"
        let town = try await town(Self.files(Self.lines(1...60, italian: 30), seeds: [4, 30, 700], more: variants))
        #expect(try await runs(town, 0) == [[4, 30, 700]])
        #expect(town.sent("Ciao N30") == [.fid(30)] && town.sent("Hi Ada") == [.fid(700)])
    }

    @Test(arguments: ["N700", ""])
    func `seeds whom the target leaves out get the text of their row, which is checked as all are`(
        _ name: String
    ) async throws {
        let members = Self.lines(1...60, italian: 30) + [Self.line(700, name, "it")]
        var files = Self.files(members, seeds: [700])
        files["audiences.yaml"]? += "---\nkind: audience\nname: customers\nfrom: members\nexclude: [our-phones]\n"
        files["hello.yaml"] = files["hello.yaml"]?.replacing("{audience: members}", with: "{audience: customers}")
        let town = try await town(files)
        if name.isEmpty {
            let run = try await town.herald("run")
            #expect(run.failure?.status == .refused, "\(run.errors)")
            #expect(town.messages().isEmpty)
        } else {
            #expect(try await runs(town, 0) == [[700]])
            #expect(town.sent("Ciao N700") == [.fid(700)])
        }
    }
}
