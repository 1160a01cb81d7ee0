/// Where an app is when a message reaches its device.
package enum AppState: String, Hashable, Sendable, CaseIterable {
    case foreground, background
    /// A person ended it; of a web app, no page is open. An Android app that was stopped in the settings is not meant:
    /// that one gets nothing until it is opened.
    case terminated
}
