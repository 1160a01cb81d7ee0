import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What stands beside a fetched list.
struct FetchedListTests {
    private static let origin = Audience.Origin(kind: .command(["psql"]))
    private static let time = Date(timeIntervalSince1970: 1_800_000_000)

    private static func list(_ rows: Int, after last: FetchedList? = nil, loaded: Date? = nil) -> FetchedList {
        FetchedList(
            .init(rows: rows, digest: "ab"), from: origin, after: last, fetched: time, seconds: 1.5,
            version: FetchedList.Version(tag: "\"v\"", modified: nil, of: question, salt: "s"), loaded: loaded)
    }

    private static let question = Audience.WebSource(url: "https://x.example/a?key=k", headers: ["x-key": "1234"])

    @Test func `it is read as it was written`() throws {
        var list = Self.list(3, after: Self.list(2), loaded: Self.time.addingTimeInterval(-60))
        list.moment = .init(id: "m", lists: ["a", "b"])
        let folder = try TemporaryFolder(["a.json": list.json.compactText])
        #expect(FetchedList(beside: "\(folder.path)/a.csv") == list)
        #expect(FetchedList(beside: "\(folder.path)/b.csv") == nil)
    }

    @Test func `a version belongs to one question, which cannot be read from it`() throws {
        let list = Self.list(3)
        let version = try #require(list.version)
        #expect(version.isOf(Self.question))
        for (url, headers) in [
            ("https://x.example/b?key=k", ["x-key": "1234"]), ("https://x.example/a?key=l", ["x-key": "1234"]),
            (Self.question.url, ["x-key": "4321"]), (Self.question.url, [:]),
        ] as [(String, [String: String])] {
            #expect(!version.isOf(Audience.WebSource(url: url, headers: headers)), "\(url) \(headers)")
        }
        let other = FetchedList.Version(tag: "\"v\"", modified: nil, of: Self.question, salt: "t")
        #expect(try #require(other) != version, "the same secret looks different beside another list")
        #expect(FetchedList.Version(tag: nil, modified: nil, of: Self.question, salt: "s") == nil)
        #expect(!list.json.compactText.contains("1234"))
        // One that does not say what it belongs to is of no use.
        var json = try #require(list.json.object)
        json["asked"] = nil
        let folder = try TemporaryFolder(["a.json": JSONValue.object(json).compactText])
        #expect(try #require(FetchedList(beside: "\(folder.path)/a.csv")).version == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"format\":\"herald.fetched/1\"}",
        "{\"format\":\"herald.fetched/2\",\"origin\":\"a\",\"fetched\":\"2026-12-01T00:00:00Z\",\"rows\":1,\"digest\":\"sha256:a\"}",
        "{\"format\":\"herald.fetched/1\",\"origin\":\"a\",\"fetched\":\"soon\",\"rows\":1,\"digest\":\"sha256:a\"}",
        "{\"format\":\"herald.fetched/1\",\"origin\":\"a\",\"fetched\":\"2026-12-01T00:00:00Z\",\"rows\":1.5,\"digest\":\"sha256:a\"}",
    ])
    func `what makes no sense is as if it were not there`(_ text: String) throws {
        let folder = try TemporaryFolder(["a.json": text])
        #expect(FetchedList(beside: "\(folder.path)/a.csv") == nil)
    }

    @Test func `numbers that no list has do no harm`() throws {
        var json = try #require(Self.list(3).json.object)
        json["history"] = [.int(.max), .int(.min), .int(0), "x", .int(10)]
        let folder = try TemporaryFolder(["a.json": JSONValue.object(json).compactText])
        let list = try #require(FetchedList(beside: "\(folder.path)/a.csv"))
        #expect(list.history == [10])
        #expect(list.median(refusing: 16, percent: 50) == 10)
    }

    @Test(arguments: [
        ([100], 150, nil), ([100], 151, 100), ([100], 50, nil), ([100], 49, 100), ([100, 200], 225, nil),
        ([100, 200], 226, 150), ([1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9], 13, nil), ([9, 9, 9, 9, 1, 1, 1, 1], 2, 1),
    ])
    func `the usual number of rows is the median of the last seven`(_ before: [Int], _ rows: Int, _ median: Int?) throws
    {
        var last: FetchedList?
        for rows in before { last = Self.list(rows, after: last) }
        #expect(try #require(last).median(refusing: rows, percent: 50) == median)
    }

    @Test(
        arguments: [
            ([("a", "1", "a b"), ("b", "1", "a b")], ""), ([("a", "2", "a b"), ("b", "1", "a b")], "a b"),
            // 'b' was fetched alone since, or 'a' was.
            ([("a", "1", "a b"), ("b", nil, "")], ""), ([("a", nil, ""), ("b", "1", "a b")], ""),
            // The last fetch of 'a' was without 'b'.
            ([("a", "2", "a c"), ("b", "1", "a b"), ("c", "2", "a c")], ""),
            ([("a", "2", "a b c"), ("b", "2", "a b c"), ("c", "1", "a b c")], "a b c"), ([("a", "1", "a b")], ""),
        ] as [([(String, String?, String)], String)])
    func `lists of one moment are told from others`(_ lists: [(String, String?, String)], _ parted: String) {
        let all = lists.map { name, moment, others in
            var list = Self.list(1)
            list.moment = moment.map { .init(id: $0, lists: others.split(separator: " ").map(String.init)) }
            return (name, list)
        }
        #expect(FetchedList.parted(Dictionary(uniqueKeysWithValues: all)).sorted().joined(separator: " ") == parted)
    }

    @Test func `another source begins a history of its own`() {
        var other = Self.list(5)
        other.origin = "other"
        #expect(Self.list(3, after: other).history == [3])
    }

    @Test(
        arguments: [
            (nil, 3600, 3600), (-60, 3600, 3660), (60, 3600, 3600), (nil, -5, 5), (nil, -86_400, 86_400),
            (-60, -40, 20),
        ] as [(Double?, Double, Int)])
    func `its age is that of its data, also seen from before`(_ loaded: Double?, _ later: Double, _ seconds: Int) {
        let list = Self.list(1, loaded: loaded.map { Self.time.addingTimeInterval($0) })
        #expect(list.age(at: Self.time.addingTimeInterval(later)) == .seconds(seconds))
    }

    @Test(arguments: [
        (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_799, "47 h"), (172_800, "2 days"),
    ])
    func `ages are whole`(_ seconds: Int, _ words: String) {
        #expect(Duration.seconds(seconds).rounded == words)
    }
}
