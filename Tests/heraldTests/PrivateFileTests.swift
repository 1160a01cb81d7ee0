import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCommands

struct PrivateFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/report.json" }
    private var temporary: String { "\(path).\(getpid()).tmp" }

    init() throws { folder = try TemporaryFolder() }

    @Test func `it replaces a file, and only its owner can read it`() throws {
        try PrivateFile.write("one", to: path)
        try PrivateFile.write("two", to: path)
        #expect(try folder.read("report.json") == "two")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["report.json"])
    }

    @Test func `a link or a file in the temporary's place is neither followed nor kept`() throws {
        try folder.write("mine", to: "mine")
        try FileManager.default.createSymbolicLink(atPath: temporary, withDestinationPath: folder.path + "/mine")
        try PrivateFile.write("one", to: path)
        try folder.write("left by a crash", to: "report.json.\(getpid()).tmp")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: temporary)
        try PrivateFile.write("two", to: path)
        #expect(try folder.read("mine") == "mine")
        #expect(try folder.read("report.json") == "two")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    private static let kinds: [(FileKind, String)] = [
        (.plan, #"{"schema" : "herald.plan/1"}"#), (.report, #"{"schema" : "herald.report/1"}"#),
        (.snapshot, #"{"schema" : "herald.snapshot/1"}"#), (.metrics, "# HELP herald_run_accepted x\n"),
        (.feedback, "{\"died\":\"2026-11-30T10:00:00Z\",\"kind\":\"fid\",\"registration\":\"cTEST\"}\n"),
        (.feedback, "{\"campaign\":\"tide\",\"code\":null,\"registration\":\"cTEST\"}\n"),
        (.lines, "{\"event\":\"plan\"}\n"),
    ]

    @Test(arguments: kinds) func `a file is replaced by one of its kind`(_ kind: FileKind, _ text: String) throws {
        try kind.requireReplaceable(path)
        try kind.requireReplaceable("/dev/null")
        for text in ["", text] {
            try folder.write(text, to: "report.json")
            try kind.requireReplaceable(path)
        }
        for text in ["SQLite format 3\0", "herald: 2\nproject: p\n", "token\ncTEST\n", "[]"] {
            try folder.write(text, to: "report.json")
            #expect(throws: CommandFailure.self) { try kind.requireReplaceable(path) }
        }
    }

    /// A plan is no report, and a key file is neither.
    @Test(arguments: [FileKind.plan, .report, .snapshot, .feedback])
    func `JSON of another kind stays`(_ kind: FileKind) throws {
        for text in ["{\"type\": \"service_account\"}\n", "{\n  \"schema\" : \"herald.calendar/1\"\n}\n"] {
            try folder.write(text, to: "report.json")
            #expect(throws: CommandFailure.self) { try kind.requireReplaceable(path) }
        }
    }

    @Test func `a pipe that does not block gets all, too`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), ends[1])
        try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let length = 1 << 20
        let isWritten = Mutex(false)
        let queue = DispatchQueue(label: "herald.test.pipe")
        queue.async {
            let isWhole = writeAll(String(repeating: "x", count: length), to: writer)
            isWritten.withLock { $0 = isWhole }
            close(writer)
        }
        #expect(try reader.readToEnd()?.count == length)
        queue.sync {}
        let isWhole = isWritten.withLock(\.self)
        #expect(isWhole)
    }
}
