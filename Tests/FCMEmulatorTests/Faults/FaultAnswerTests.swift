import FCM
import Testing

@testable import FCMEmulator

/// The answers that clients get. Their forms come from FCM's ErrorCode reference, google/rpc/error_details.proto, the
/// guides of the Instance ID service and of device groups, and RFC 6749.
@Suite struct FaultAnswerTests {
    private static let fcmError = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    private static let apnsError = "type.googleapis.com/google.firebase.fcm.v1.ApnsError"
    private static let quotaFailure = "type.googleapis.com/google.rpc.QuotaFailure"

    private func reply(_ fault: String, to method: String, _ target: String, _ body: String = "") -> Reply {
        let emulator = ManualEmulator()
        emulator.script(#"[{"do":\#(fault)}]"#)
        return emulator.call(method, target, body)
    }

    private func sendReply(_ fault: String) -> Reply {
        reply(fault, to: "POST", "/v1/projects/p/messages:send", #"{"message":{"token":"\#(token(1))"}}"#)
    }

    @Test(arguments: [
        (#"{"status":400}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"code":"UNREGISTERED"}"#, 404, "NOT_FOUND", "UNREGISTERED"),
        (#"{"code":"SENDER_ID_MISMATCH"}"#, 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
        (#"{"status":429}"#, 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
        (#"{"status":500}"#, 500, "INTERNAL", "INTERNAL"),
        (#"{"status":503,"code":"UNAVAILABLE"}"#, 503, "UNAVAILABLE", "UNAVAILABLE"),
        (#"{"code":"UNSPECIFIED_ERROR"}"#, 500, "UNKNOWN", "UNSPECIFIED_ERROR"),
        (#"{"status":400,"code":"NOT_KNOWN_YET"}"#, 400, "INVALID_ARGUMENT", "NOT_KNOWN_YET"),
    ])
    func `a send gets FCM's code and the status that goes with it`(
        _ fault: String, _ http: Int, _ status: String, _ code: String
    ) throws {
        let reply = sendReply(fault)
        #expect(reply.status == http)
        let error = try #require(try reply.json()["error"])
        #expect(error["code"] == .int(Int64(http)))
        #expect(error["status"] == .string(status))
        #expect(error["message"]?.string?.isEmpty == false)
        #expect(error["details"] == [["@type": .string(Self.fcmError), "errorCode": .string(code)]])
    }

    @Test(arguments: [
        (401, "UNAUTHENTICATED"), (403, "PERMISSION_DENIED"), (404, "NOT_FOUND"), (409, "ALREADY_EXISTS"),
        (501, "UNIMPLEMENTED"), (504, "DEADLINE_EXCEEDED"), (599, "UNKNOWN"),
    ])
    func `what is not FCM's has no code of FCM's`(_ http: Int, _ status: String) throws {
        let error = try #require(try sendReply(#"{"status":\#(http)}"#).json()["error"])
        #expect(error["status"] == .string(status))
        #expect(error["details"]?.array?.contains { $0["@type"] == .string(Self.fcmError) } != true)
    }

    @Test(arguments: [
        (#"{"code":"THIRD_PARTY_AUTH_ERROR"}"#, 401, "THIRD_PARTY_AUTH_ERROR", 403, "InvalidProviderToken"),
        (#"{"code":"ExpiredProviderToken"}"#, 401, "THIRD_PARTY_AUTH_ERROR", 403, "ExpiredProviderToken"),
        (#"{"status":400,"code":"UNREGISTERED"}"#, 400, "INVALID_ARGUMENT", 410, "Unregistered"),
        (#"{"code":"Unregistered"}"#, 400, "INVALID_ARGUMENT", 410, "Unregistered"),
        (#"{"code":"BadDeviceToken"}"#, 400, "INVALID_ARGUMENT", 400, "BadDeviceToken"),
        (#"{"code":"ServiceUnavailable"}"#, 503, "UNAVAILABLE", 503, "ServiceUnavailable"),
    ])
    func `what APNs said is passed on`(
        _ fault: String, _ http: Int, _ code: String, _ apnsStatus: Int64, _ reason: String
    ) throws {
        let reply = sendReply(fault)
        #expect(reply.status == http)
        let error = try #require(try reply.json()["error"])
        #expect(
            error["details"] == [
                ["@type": .string(Self.fcmError), "errorCode": .string(code)],
                ["@type": .string(Self.apnsError), "statusCode": .int(apnsStatus), "reason": .string(reason)],
            ])
        if apnsStatus == 410 { #expect(error["message"] == "APNs device token is disabled.") }
        if http == 401 { #expect(error["message"] == "Auth error from APNS or Web Push Service") }
    }

    @Test(arguments: ["project", "topic", "device"])
    func `an exhausted quota says whose it is`(_ quota: String) throws {
        let reply = sendReply(#"{"quota":"\#(quota)","retry_after":"17"}"#)
        #expect(reply.status == 429)
        #expect(reply.headers["Retry-After"] == "17")
        let details = try reply.json()["error"]?["details"]?.array ?? []
        #expect(details.first == ["@type": .string(Self.fcmError), "errorCode": "QUOTA_EXCEEDED"])
        let limits = details.compactMap { $0["metadata"]?["quota_limit_value"] }
        #expect(limits == (quota == "project" ? ["600000"] : []))
        let failure = details.last
        #expect(failure?["@type"] == .string(Self.quotaFailure))
        #expect(failure?["violations"]?.array?.first?["subject"]?.string?.hasPrefix(quota) == true)
        #expect(failure?["violations"]?.array?.first?["description"]?.string?.contains(quota) == true)
    }

    @Test(arguments: ["2", "Tue, 01 Dec 2026 08:00:02 GMT", "soon"])
    func `Retry-After stands as it was written`(_ text: String) {
        #expect(sendReply(#"{"status":503,"retry_after":"\#(text)"}"#).headers["Retry-After"] == text)
    }

    @Test(arguments: [
        (#"{"status":503}"#, 503, "UNAVAILABLE"), (#"{"quota":"project"}"#, 429, "RESOURCE_EXHAUSTED"),
        (#"{"code":"INTERNAL"}"#, 500, "INTERNAL"), (#"{"status":404}"#, 404, "NOT_FOUND"),
        (#"{"status":409}"#, 409, "ALREADY_EXISTS"), (#"{"code":"ABORTED"}"#, 409, "ABORTED"),
    ])
    func `the topics' API tells the status alone`(_ fault: String, _ http: Int, _ status: String) throws {
        let reply = reply(
            fault, to: "POST", "/v1/projects/p/registrations/\(token(1))/topicSubscriptions?topic_name=t", "{}")
        #expect(reply.status == http)
        let error = try #require(try reply.json()["error"])
        #expect(error["status"] == .string(status))
        #expect(error["details"]?.array?.contains { $0["@type"] == .string(Self.fcmError) } != true)
    }

    @Test(arguments: [
        (#"{"status":429}"#, 429, "RESOURCE_EXHAUSTED"), (#"{"status":500}"#, 500, "INTERNAL"),
        (#"{"status":401}"#, 401, "Unauthorized"), (#"{"status":503,"code":"Try again"}"#, 503, "Try again"),
        (#"{"code":"UNAVAILABLE"}"#, 503, "UNAVAILABLE"),
    ])
    func `the older services tell one text`(_ fault: String, _ http: Int, _ text: String) throws {
        for target in ["/iid/v1:batchAdd", "/fcm/notification"] {
            let reply = reply(fault, to: "POST", target, "{}")
            #expect(reply.status == http)
            #expect(try reply.json() == ["error": .string(text)])
        }
    }

    @Test func `the Instance ID service may tell an error with 200`() throws {
        let emulator = ManualEmulator()
        emulator.script(#"[{"match":{"service":"iid"},"do":{"status":200,"code":"INTERNAL"}}]"#)
        let reply = emulator.call("POST", "/iid/v1:batchAdd", "{}")
        #expect(reply.status == 200)
        #expect(try reply.json() == ["error": "INTERNAL"])
    }

    @Test(arguments: [
        (#"{"status":400}"#, 400, "invalid_grant"), (#"{"status":401,"code":"invalid_client"}"#, 401, "invalid_client"),
        (#"{"status":503}"#, 503, "temporarily_unavailable"), (#"{"status":500}"#, 500, "internal_failure"),
        (#"{"code":"UNAVAILABLE"}"#, 503, "temporarily_unavailable"),
    ])
    func `the token endpoint tells an OAuth error`(_ fault: String, _ http: Int, _ code: String) throws {
        let reply = reply(fault, to: "POST", "/token")
        #expect(reply.status == http)
        #expect(try reply.json()["error"] == .string(code))
        #expect(try reply.json()["error_description"]?.string != nil)
    }

    @Test(arguments: [
        (#"{"status":404,"body":"html"}"#, 404), (#"{"status":503,"body":"html"}"#, 503), (#"{"status":502}"#, 502),
    ])
    func `Google's front end answers with a page`(_ fault: String, _ http: Int) {
        let reply = sendReply(fault)
        #expect(reply.status == http)
        #expect(reply.contentType == "text/html; charset=UTF-8")
        #expect(reply.text.hasPrefix("<!DOCTYPE html>\n<html lang=en>"))
        #expect(reply.text.contains("<title>Error \(http) ("))
    }
}
