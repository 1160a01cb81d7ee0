import FCM
import Testing

struct ServerPlaceTests {
    @Test(arguments: ["googleapis.com", "fcm.googleapis.com", "FCM.GoogleAPIs.com", "oauth2.rep.googleapis.com"])
    func `what is below googleapis.com is Google's`(_ host: String) { #expect(ServerPlace(host: host) == .google) }

    @Test(arguments: ["localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1"])
    func `loopback is this machine`(_ host: String) { #expect(ServerPlace(host: host) == .thisMachine) }

    @Test(arguments: [
        "", "evilgoogleapis.com", "googleapis.com.evil.example", "fcm.googleapis.com.", "googleapis.co",
        "127.evil.example", "127.0.0.1.example", "127.0.0", "127.0.0.256", "127.0.0.01", "127.0.0.+1", "128.0.0.1",
        "0.0.0.0", "::", "localhost.example", "10.0.0.1",
    ])
    func `everything else is elsewhere`(_ host: String) { #expect(ServerPlace(host: host) == .elsewhere) }
}
