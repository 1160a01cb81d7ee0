import FCM
import Testing

struct ErrorBodyTests {
    private func read(_ text: String) -> ErrorBody { ErrorBody(Array(text.utf8)) }

    @Test func `an FcmError gives FCM's own code`() {
        let error = read(
            """
            {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND",
              "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}
            """)
        #expect(error.isJSON)
        #expect(error.fcmCode == "UNREGISTERED")
        #expect(error.status == "NOT_FOUND")
        #expect(error.message == "Requested entity was not found.")
        #expect(error.violatedFields.isEmpty)
        #expect(error.apns == nil)
    }

    @Test(arguments: ["fieldViolations", "field_violations"])
    func `a BadRequest gives the fields`(_ key: String) {
        let error = read(
            """
            {"error":{"code":400,"message":"Invalid value","status":"INVALID_ARGUMENT",
              "details":[{"@type":"type.googleapis.com/google.rpc.BadRequest",
                "\(key)":[{"field":"message.data[0].value","description":"Invalid value at …"},
                          {"description":"no field"},7,{"field":"message.token"}]}]}}
            """)
        #expect(error.violatedFields == ["message.data[0].value", "message.token"])
        #expect(error.fcmCode == nil)
    }

    @Test func `an ApnsError gives what Apple answered, wherever it stands`() {
        let error = read(
            """
            {"error":{"code":401,"message":"Auth error from APNS or Web Push Service","status":"UNAUTHENTICATED",
              "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":403,
                          "reason":"InvalidProviderToken"},
                         {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},
                         {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError",
                          "errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}
            """)
        #expect(error.fcmCode == "THIRD_PARTY_AUTH_ERROR")
        #expect(error.apns?.statusCode == 403)
        #expect(error.apns?.reason == "InvalidProviderToken")
    }

    @Test func `an ErrorInfo gives its reason`() {
        let error = read(
            """
            {"error":{"status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
              "reason":"SERVICE_DISABLED","domain":"googleapis.com","metadata":{"service":"fcm.googleapis.com"}}]}}
            """)
        #expect(error.reason == "SERVICE_DISABLED")
        #expect(error.message == nil)
    }

    @Test(arguments: [
        ("\"retryDelay\":\"3.5s\"", 3.5), ("\"retry_delay\":\"30s\"", 30), ("\"retryDelay\":\"0s\"", 0),
        ("\"retryDelay\":\"0.000000001s\"", 0.000_000_001),
    ])
    func `a RetryInfo gives seconds`(_ member: String, _ seconds: Double) {
        #expect(retryInfo(member).retryDelaySeconds == seconds)
    }

    @Test(arguments: [
        "\"retryDelay\":\"\"", "\"retryDelay\":\"s\"", "\"retryDelay\":\"5\"", "\"retryDelay\":5",
        "\"retryDelay\":\"5m\"", "\"retryDelay\":\"infs\"", "\"retryDelay\":\"nans\"", "\"retryDelay\":\"1e300s\"",
        "\"retryDelay\":\"-5s\"", "\"retryDelay\":\"99999999999999999999s\"", "\"retryDelay\":\"0x10s\"",
    ])
    func `a delay that is no duration is absent`(_ member: String) {
        #expect(retryInfo(member).retryDelaySeconds == nil)
    }

    private func retryInfo(_ member: String) -> ErrorBody {
        read(#"{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo",\#(member)}]}}"#)
    }

    @Test(arguments: ["google.firebase.fcm.v1.FcmError", "FcmError", "x.example/google.firebase.fcm.v2.FcmError"])
    func `the type is known by its last part`(_ type: String) {
        let error = read(#"{"error":{"details":[{"@type":"\#(type)","errorCode":"INTERNAL"}]}}"#)
        #expect(error.fcmCode == "INTERNAL")
    }

    @Test func `the Instance ID service's plain string is code and message`() {
        let error = read(#"{"error":"INVALID_ARGUMENT"}"#)
        #expect(error.isJSON)
        #expect(error.status == "INVALID_ARGUMENT")
        #expect(error.message == "INVALID_ARGUMENT")
    }

    @Test(arguments: [
        "", "<!DOCTYPE html><html><title>404</title></html>", "Not Found", #"{"error":{"status":"NOT_FO"#, "{",
        #"{"error":{"details":[{"@type":"#,
    ])
    func `what is no JSON tells nothing`(_ text: String) {
        #expect(read(text) == ErrorBody([]))
        #expect(!read(text).isJSON)
    }

    @Test(arguments: [
        "{}", "[]", "7", "null", #"{"error":null}"#, #"{"error":7}"#, #"{"error":[]}"#, #"{"error":{}}"#,
        #"{"error":{"status":5,"message":{},"details":"x"}}"#,
        #"{"error":{"details":[null,1,"x",[],{},{"@type":7},{"@type":""},{"@type":"FcmError","errorCode":4}]}}"#,
        #"{"error":{"details":[{"@type":"BadRequest","fieldViolations":{"field":"a"}}]}}"#,
    ])
    func `JSON of another shape tells nothing more`(_ text: String) {
        var nothing = ErrorBody([])
        nothing.isJSON = true
        #expect(read(text) == nothing)
    }

    @Test func `bytes that are no UTF-8 tell nothing`() {
        #expect(ErrorBody([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == ErrorBody([]))
    }
}
