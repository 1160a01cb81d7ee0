import Foundation
import HeraldTestSupport
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
}
