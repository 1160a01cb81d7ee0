import Testing

@testable import HeraldCore

/// What may be a project's, a workspace's or a field's name.
@Suite struct NameFormTests {
    @Test(arguments: [
        "a", "7", "Z.a_b-c", String(repeating: "a", count: 100), "a..--__",
    ])
    func `a workspace may be called so`(_ text: String) { #expect(Settings.isWorkspaceName(text)) }

    @Test(arguments: [
        "", ".a", "_a", "-a", "a b", "a:b", "a/b", "é", "aé", "a\n", "a\0", String(repeating: "a", count: 101),
        // A combining mark belongs to the letter before it.
        "a\u{301}",
    ])
    func `a workspace may not be called so`(_ text: String) { #expect(!Settings.isWorkspaceName(text)) }

    @Test(arguments: ["a:b", "a:", "7.b_c-d"])
    func `a project may be called so`(_ text: String) { #expect(text.isName(with: ":._-")) }

    @Test(arguments: [":a", "", "a b", "a/b"])
    func `a project may not be called so`(_ text: String) { #expect(!text.isName(with: ":._-")) }

    @Test(arguments: ["a", "_", "_7", "Last_Name2"])
    func `a field may be called so`(_ text: String) { #expect(ResourceReader.isFieldName(text)) }

    @Test(arguments: ["", "7a", "a-b", "a.b", "a b", "é", "a\u{301}", "a\n"])
    func `a field may not be called so`(_ text: String) { #expect(!ResourceReader.isFieldName(text)) }
}
