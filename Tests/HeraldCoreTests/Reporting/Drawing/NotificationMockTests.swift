import FCM
import Testing

@testable import HeraldCore

/// What people see of a message on each platform.
@Suite struct NotificationMockTests {
    private static let long = String(repeating: "tide ", count: 200)

    private func mocks(of message: [String: JSONValue]) -> [NotificationSurface: NotificationMock] {
        Dictionary(uniqueKeysWithValues: NotificationMock.all(for: message).map { ($0.surface, $0) })
    }

    @Test func `a notification is drawn in every place`() {
        let mocks = NotificationMock.all(for: ["notification": ["title": "High tide", "body": "18:42 at Ostia"]])
        #expect(mocks.map(\.surface) == NotificationSurface.allCases)
        for mock in mocks {
            #expect(mock.title?.lines == ["High tide"])
            #expect(mock.body?.lines == ["18:42 at Ostia"])
            #expect(mock.notes.isEmpty)
            #expect(mock.textLines == [mock.surface.words, "│ High tide", "│ 18:42 at Ostia"])
        }
    }

    @Test func `data shows nothing`() {
        #expect(NotificationMock.all(for: ["data": ["spot": "ostia"]]).isEmpty)
    }

    /// The lines and columns that a body has, from the sources that `NotificationSurface` names.
    @Test(
        arguments: [
            (.iosLockScreen, 4, 40), (.iosBanner, 2, 40), (.androidCollapsed, 1, 49), (.androidExpanded, 10, 49),
            (.chromeToast, 4, 50),
        ] as [(NotificationSurface, Int, Int)])
    func `a long body is cut as the platform cuts it`(_ surface: NotificationSurface, lines: Int, columns: Int) throws {
        let body = try #require(mocks(of: ["notification": ["title": "T", "body": .string(Self.long)]])[surface]?.body)
        #expect(body.lines.count == lines)
        #expect(body.lines.allSatisfy { $0.count <= columns && $0.count > columns - 6 })
        #expect(body.lines.last?.last == "…")
    }

    @Test func `a picture takes room, where the platform shows it`() throws {
        let notification: JSONValue = [
            "title": "T", "body": .string(Self.long), "image": "https://example.com/tide.png",
        ]
        let silent = mocks(of: ["notification": notification])
        // Without mutable-content an iPhone never loads it.
        #expect(silent[.iosLockScreen]?.picture == nil)
        let all = mocks(of: ["notification": notification, "apns": ["payload": ["aps": ["mutable-content": 1]]]])
        #expect(
            all.mapValues { $0.picture?.size } == [
                .iosLockScreen: .thumbnail, .iosBanner: .thumbnail, .androidCollapsed: .thumbnail,
                .androidExpanded: .large, .chromeToast: .large,
            ])
        #expect(all[.androidExpanded]?.body?.lines.count == 1)
        #expect(try #require(all[.iosBanner]?.body).lines.allSatisfy { $0.count <= 32 })
        #expect(all[.androidExpanded]?.textLines.contains("│ [picture: https://example.com/tide.png]") == true)
    }

    @Test func `Chrome shows two buttons, and the rest is counted`() {
        let actions = JSONValue.array((1...3).map { ["action": .string("a\($0)"), "title": .string("Action \($0)")] })
        let all = mocks(of: ["webpush": ["notification": ["title": "T", "actions": actions]]])
        #expect(all[.chromeToast]?.buttons.flatMap(\.lines) == ["Action 1", "Action 2"])
        #expect(all[.chromeToast]?.notes == ["1 more button not shown"])
        #expect(all[.chromeToast]?.textLines.contains("│ [Action 1] [Action 2]") == true)
    }

    @Test func `the buttons of an iPhone are the app's own`() {
        let all = mocks(of: ["apns": ["payload": ["aps": ["alert": "High tide", "category": "TIDE"]]]])
        #expect(all[.iosBanner]?.body?.lines == ["High tide"])
        #expect(all[.iosBanner]?.notes == ["the app decides which buttons the category 'TIDE' has"])
    }

    @Test func `each text has its own direction`() {
        let all = mocks(of: ["notification": ["title": "גאות", "body": "Ostia"]])
        #expect(all[.chromeToast]?.title?.direction == .rightToLeft)
        #expect(all[.chromeToast]?.body?.direction == .leftToRight)
    }

    @Test func `characters that would act are named in the lines`() {
        let lines = NotificationMock.all(for: ["notification": ["title": "a\u{202E}b", "body": "\u{1B}[31m\u{2028}👩‍👧"]])
            .flatMap(\.textLines)
        #expect(lines.contains("│ a‹U+202E›b"))
        #expect(lines.contains { $0.hasSuffix("👩‍👧") })
        #expect(!lines.contains { $0.unicodeScalars.contains { ["\u{202E}", "\u{1B}", "\u{2028}"].contains($0) } })
    }
}
