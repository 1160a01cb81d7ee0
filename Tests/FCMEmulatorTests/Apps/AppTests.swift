import FCM
import Testing

@testable import FCMEmulator

/// An app on its device, with the requests of Firebase's SDKs for the web and Apple.
@Suite struct AppTests {
    private let emulator = ManualEmulator()

    /// What an SDK stores about its installation.
    private struct Installation {
        let fid: String
        let secret: String
        let token: String
    }

    private static let web =
        #"{"web":{"origin":"example.com","endpoint":"https://push.example.com/1","auth":"YQ","p256dh":"BA"}}"#
    private static let ios =
        #"{"ios":{"apns_token":"abcd","app_version":"1","apns_environment":"PROD","bundle_id":"it.tide"},"fcm_sdk_version":"fcm-12.0.0"}"#
    private static let form = #"{"fid":"\#(fid(7))","authVersion":"FIS_v2","appId":"1:1:web:1","sdkVersion":"w:0.6.0"}"#

    private func install(_ body: String = form) throws -> Installation {
        let reply = emulator.call("POST", "/v1/projects/p/installations", body, headers: ["X-Goog-Api-Key": "k"])
        try #require(reply.status == 200)
        let answer = try reply.json()
        #expect(answer["authToken"]?["expiresIn"] == "604800s")
        return Installation(
            fid: try #require(answer["fid"]?.string), secret: try #require(answer["refreshToken"]?.string),
            token: try #require(answer["authToken"]?["token"]?.string))
    }

    private func call(
        _ method: String, _ path: String, _ body: String = "", as installation: Installation, scheme: String = "FIS "
    ) -> Reply {
        emulator.call(
            method, "/v1/projects/p/\(path)", body,
            headers: [
                "x-goog-api-key": "k", "x-goog-firebase-installations-auth": scheme + installation.token,
            ])
    }

    /// A body of an SDK that registers the fid.
    private static func byFid(_ body: String) -> String {
        body.dropLast() + #","fcm_sdk_version":"12.18.0"}"#
    }

    @Test(arguments: [
        (web, "web", "FIS ", false), (byFid(web), "web", "FIS ", true), (ios, "ios", "", true),
        (#"{"android":{}}"#, "android", "FIS ", false),
    ])
    func `an app that registers is reached by its token, or by its fid if that is what it registers`(
        _ body: String, _ platform: String, _ scheme: String, _ isByFid: Bool
    ) throws {
        let installation = try install()
        #expect(installation.fid == fid(7))
        let reply = call("POST", "registrations", body, as: installation, scheme: scheme)
        #expect(reply.status == 200)
        #expect(try reply.json()["name"] == .string("projects/p/registrations/\(fid(7))"))
        let token = try #require(try reply.json()["token"]?.string)
        #expect(token.hasPrefix("\(fid(7)):APA91b"))
        let statuses = [#""token":"\#(token)""#, #""fid":"\#(fid(7))""#].map {
            emulator.send("{\"message\":{\($0)}}").status
        }
        #expect(statuses == (isByFid ? [404, 200] : [200, 404]))
        let inbox = try emulator.inbox(fid(7))
        #expect(inbox.map { $0["platform"]?.string } == [platform])
    }

    @Test func `an app that gets a token after its fid, and the fid after its token, has the last one`() throws {
        let installation = try install()
        var token = ""
        func registers(_ body: String) throws -> [Int] {
            let reply = try call("POST", "registrations", body, as: installation).json()
            token = try #require(reply["token"]?.string)
            return [#""token":"\#(token)""#, #""fid":"\#(fid(7))""#].map {
                emulator.send("{\"message\":{\($0)}}").status
            }
        }
        #expect(try registers(Self.byFid(Self.web)) == [404, 200])
        #expect(try registers(Self.web) == [200, 404])
        #expect(try registers(Self.byFid(Self.web)) == [404, 200])
    }

    @Test func `a token stays while its app is registered`() throws {
        let installation = try install()
        let first = try call("POST", "registrations", Self.web, as: installation).json()["token"]?.string
        let token = try #require(first)
        #expect(try call("POST", "registrations", Self.web, as: installation).json()["token"]?.string == token)
        #expect(
            try call("PATCH", "registrations/\(token)", Self.web, as: installation).json()["token"]?.string == token)
        #expect(call("DELETE", "registrations/\(token)", as: installation).status == 200)
        let second = try call("POST", "registrations", Self.web, as: installation).json()["token"]?.string
        #expect(second != token)
        #expect(emulator.send(#"{"message":{"token":"\#(token)"}}"#).status == 404)
    }

    @Test func `an app subscribes and unsubscribes, as often as it likes`() throws {
        let installation = try install()
        _ = call("POST", "registrations", Self.ios, as: installation)
        let path = "registrations/\(fid(7))/topicSubscriptions/100%25"
        for _ in 1...2 { #expect(call("POST", path + ":subscribe", as: installation).status == 200) }
        #expect(emulator.send(#"{"message":{"topic":"100%","data":{"n":"1"}}}"#).status == 200)
        #expect(emulator.call("GET", "/v1/projects/p/" + path).status == 200)
        for _ in 1...2 { #expect(call("POST", path + ":unsubscribe", as: installation).status == 200) }
        #expect(emulator.send(#"{"message":{"topic":"100%","data":{"n":"2"}}}"#).status == 200)
        #expect(try emulator.inbox(fid(7)).count == 1)
    }

    @Test(arguments: ["registrations/FID", "installations/FID"])
    func `an app that goes is unregistered, and its subscriptions go with it`(_ path: String) throws {
        let installation = try install()
        let body = Self.byFid(Self.web)
        let token = try #require(try call("POST", "registrations", body, as: installation).json()["token"]?.string)
        #expect(
            call("POST", "registrations/\(fid(7))/topicSubscriptions/t:subscribe", as: installation).status == 200)
        let gone = emulator.call(
            "DELETE", "/v1/projects/p/" + path.replacing("FID", with: fid(7)),
            headers: [
                "x-goog-api-key": "k", "x-goog-firebase-installations-auth": "FIS \(installation.token)",
                "authorization": "FIS_v2 \(installation.secret)",
            ])
        #expect(gone.status == 200)
        for target in [#""token":"\#(token)""#, #""fid":"\#(fid(7))""#] {
            let refused = emulator.send("{\"message\":{\(target)}}")
            #expect(refused.status == 404)
            #expect(refused.text.contains("UNREGISTERED"))
        }
        #expect(call("POST", "registrations/\(fid(7))/topicSubscriptions/t:subscribe", as: installation).status == 404)
        // After registering again, it follows no topics.
        _ = call("POST", "registrations", body, as: installation)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 200)
        #expect(try emulator.inbox(fid(7)).isEmpty)
    }

    @Test func `an installation without a fid gets one`() throws {
        let one = try install(#"{"appId":"1:1:web:1"}"#)
        let other = try install(#"{"appId":"1:1:web:1","fid":"short"}"#)
        #expect(Registration(one.fid, kind: .fid) != nil)
        #expect(one.fid != other.fid)
    }

    @Test func `an installation token is renewed by the refresh token, and only by it`() throws {
        let installation = try install()
        let path = "/v1/projects/p/installations/\(fid(7))/authTokens:generate"
        func renew(_ authorization: String) -> Reply {
            emulator.call(
                "POST", path, #"{"installation":{"sdkVersion":"w:0.6.0","appId":"1:1:web:1"}}"#,
                headers: ["x-goog-api-key": "k", "authorization": authorization])
        }
        try emulator.advanceWorld("7d")
        #expect(call("POST", "registrations", Self.web, as: installation).status == 401)
        #expect(renew("FIS_v2 other").status == 401)
        let token = try #require(try renew("FIS_v2 \(installation.secret)").json()["token"]?.string)
        let renewed = Installation(fid: fid(7), secret: installation.secret, token: token)
        #expect(call("POST", "registrations", Self.web, as: renewed).status == 200)
    }

    @Test func `an app cannot make calls for another app's registration`() throws {
        let installation = try install()
        for (method, path) in [
            ("DELETE", "registrations/\(fid(8))"), ("PATCH", "registrations/\(token(8))"),
            ("POST", "registrations/\(fid(8))/topicSubscriptions/t:subscribe"),
        ] {
            #expect(call(method, path, Self.web, as: installation).status == 403)
        }
    }

    @Test(arguments: [
        ("{}", 400), ("", 400), ("[]", 400), (#"{"web":{"endpoint":"https://e","auth":"YQ"}}"#, 400),
        (#"{"web":"x"}"#, 400), (#"{"ios":{"apns_token":""}}"#, 400),
        (#"{"ios":{"apns_token":"a"},"web":{"endpoint":"https://e","auth":"YQ","p256dh":"BA"}}"#, 400),
    ])
    func `a registration must say where messages go`(_ body: String, _ status: Int) throws {
        let installation = try install()
        #expect(call("POST", "registrations", body, as: installation).status == status)
    }

    @Test func `an app needs its project's key and its installation's token`() throws {
        let installation = try install()
        let path = "/v1/projects/p/registrations"
        let keyless = emulator.call(
            "POST", path, Self.web, headers: ["x-goog-firebase-installations-auth": "FIS \(installation.token)"])
        #expect(keyless.status == 403)
        #expect(try keyless.json()["error"]?["message"] == "The request is missing a valid API key.")
        for auth in ["", "FIS ", "FIS a.b.c", "FIS a.e30.c", "FIS \(installation.secret)"] {
            let reply = emulator.call(
                "POST", path, Self.web, headers: ["x-goog-api-key": "k", "x-goog-firebase-installations-auth": auth])
            #expect(reply.status == 401)
        }
        #expect(emulator.call("GET", path).status == 404)
        #expect(call("POST", "registrations/\(fid(7))/topicSubscriptions/t:join", as: installation).status == 404)
    }
}
