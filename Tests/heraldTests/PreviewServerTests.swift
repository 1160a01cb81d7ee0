import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// What `preview --serve` stands on. `Tests/browser` looks at the page itself.
@Suite struct PreviewServerTests {
    @Test(arguments: [
        ("127.0.0.1", true), ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST", true),
        (nil, false), ("", false), ("evil.example", false), ("127.0.0.1.evil.example:80", false),
        ("localhost.evil.example", false), ("127.0.0.1:80:x", false), ("127.0.0.1@evil.example", false),
        ("[::1]:80", false), ("127.0.0.1:evil", false), ("0.0.0.0:80", false), (" localhost", false),
    ])
    func `only this machine's own names are answered`(_ authority: String?, _ isOurs: Bool) {
        #expect(PreviewServer.isOurs(authority) == isOurs)
    }

    @Test func `the version follows the files`() throws {
        let folder = try TemporaryFolder(["a.yaml": "a", "lists/b.csv": "b", ".herald/c": "c"])
        let digest = { FileStamps.digest(of: [folder.path, "\(folder.path)/absent"]) }
        let first = digest()
        #expect(digest() == first)
        try folder.write("cc", to: ".herald/c")
        #expect(digest() == first)
        try folder.write("bb", to: "lists/b.csv")
        let second = digest()
        #expect(second != first)
        // The same size at another time.
        let past = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1)]
        try FileManager.default.setAttributes(past, ofItemAtPath: "\(folder.path)/a.yaml")
        let third = digest()
        #expect(third != second)
        try FileManager.default.removeItem(atPath: "\(folder.path)/a.yaml")
        #expect(digest() != third)
    }
}
