package import FCM

/// A place where a platform draws a notification.
///
/// Platforms document little of how they cut. Each number names its source. A number of characters in a source becomes
/// lines and columns here, since platforms cut by width.
package enum NotificationSurface: String, CaseIterable, Hashable, Sendable {
    case iosLockScreen = "ios-lock-screen"
    case iosBanner = "ios-banner"
    case androidCollapsed = "android-collapsed"
    case androidExpanded = "android-expanded"
    case chromeToast = "chrome-toast"

    package var platform: Platform {
        switch self {
        case .iosLockScreen, .iosBanner: .ios
        case .androidCollapsed, .androidExpanded: .android
        case .chromeToast: .web
        }
    }

    /// In words for people.
    package var words: String {
        switch self {
        case .iosLockScreen: "iPhone, lock screen"
        case .iosBanner: "iPhone, banner"
        case .androidCollapsed: "Android, collapsed"
        case .androidExpanded: "Android, expanded"
        case .chromeToast: "Chrome on a computer"
        }
    }

    /// - iOS: one line of 30 characters since iOS 15, Batch's help centre, "What is the optimal length for every iOS &
    ///   Android push notification" (help.batch.com/en/articles/2117730). Apple's Human Interface Guidelines give no
    ///   number and ask for a short title.
    /// - Android: one line. Our approximation is that it is as wide as the text below it.
    /// - Chrome: one line, `kMaxLinesForTitleView` in `ui/message_center/views/notification_view.cc` of Chromium. The
    ///   card is 360 wide and the title's font 14 (`message_center_constants.h`); our approximation is an average
    ///   character of 7.5.
    var title: TextFrame {
        switch platform {
        case .ios: TextFrame(lines: 1, columns: 30)
        case .android: TextFrame(lines: 1, columns: 49)
        case .web: TextFrame(lines: 1, columns: 42)
        }
    }

    /// Only iOS has one. Our approximation: a line of the body's width.
    var subtitle: TextFrame { TextFrame(lines: 1, columns: 40) }

    /// - iOS: Braze's "Push message and image formats" (braze.com/docs) has 160 characters on the lock screen and 80 in
    ///   a banner, 130 and 65 beside a picture. That is four and two lines of 40, or 32 beside a picture.
    /// - Android, collapsed: one line (developer.android.com, "Create a notification": the text is truncated to fit one
    ///   line) of 49 characters (Braze, the same page). Beside a picture our approximation is 40.
    /// - Android, expanded: Firebase's SDK uses `BigTextStyle` (`CommonNotificationBuilder.java`). "At current screen
    ///   sizes we display about 500 characters at most", says a comment in Chromium's `NotificationBuilderBase.java` on
    ///   the limit of Android's `Notification`. That is ten lines. With a picture the SDK uses `BigPictureStyle`
    ///   (`DisplayNotification.java`), which has one line of text.
    /// - Chrome: four lines, `kMaxLinesForExpandedMessageLabel` in Chromium's `message_center_constants.h`. The font
    ///   is 12 there; our approximation is an average character of 6.4, and 50 in a line.
    func body(besidePicture hasPicture: Bool) -> TextFrame {
        switch self {
        case .iosLockScreen: TextFrame(lines: 4, columns: hasPicture ? 32 : 40)
        case .iosBanner: TextFrame(lines: 2, columns: hasPicture ? 32 : 40)
        case .androidCollapsed: TextFrame(lines: 1, columns: hasPicture ? 40 : 49)
        case .androidExpanded: TextFrame(lines: hasPicture ? 1 : 10, columns: 49)
        case .chromeToast: TextFrame(lines: 4, columns: 50)
        }
    }

    /// Where it shows a picture.
    ///
    /// - iOS: a thumbnail until a person opens the notification (Apple, "UNNotificationAttachment").
    /// - Android: a large icon beside the text if collapsed, and the whole picture if expanded (Firebase's SDK,
    ///   `DisplayNotification.java`).
    /// - Chrome: the whole picture, 360 × 240 at best (Chromium, `message_center_constants.h`).
    var picture: NotificationMock.Picture.Size {
        switch self {
        case .iosLockScreen, .iosBanner, .androidCollapsed: .thumbnail
        case .androidExpanded, .chromeToast: .large
        }
    }

    /// How many buttons of a message it shows. Chrome has two ("Notification Actions in Chrome 48",
    /// developer.chrome.com). A message through FCM cannot give an Android notification buttons, and those on an iPhone
    /// are the app's own.
    var buttons: Int { self == .chromeToast ? 2 : 0 }

    /// One line in a button. Our approximation: half of the toast, with its padding of 16 on both sides
    /// (`kButtonHorizontalPadding` in Chromium's `message_center_constants.h`).
    static let button = TextFrame(lines: 1, columns: 22)
}
