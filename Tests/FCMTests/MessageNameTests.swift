import Testing

@testable import FCM

@Suite struct MessageNameTests {
    @Test(arguments: [
        (#"{"name":"projects/p/messages/42"}"#, "42"),
        (
            "{\n  \"name\": \"projects/p/messages/0:1500415314455276%31bd1c9631bd1c96\"\n}\n",
            "0:1500415314455276%31bd1c9631bd1c96"
        ),
        (" {\t\"name\" :\r\"42\" } ", "42"),
        (#"{"name":"projects\/p\/messages\/42"}"#, "42"),
        (#"{"name":"projects/p/messages/4\u0032"}"#, "42"),
        (#"{"name":"projects/p/messages/é"}"#, "é"),
        (#"{"name":"a b"}"#, "a b"),
        (#"{"name":"projects/p/messages/"}"#, "messages"),
        (#"{"note":{"name":"x"},"name":"projects/p/messages/42"}"#, "42"),
        (#"{"name":"projects/p/messages/42","extra":[1]}"#, "42"),
    ])
    func `a name is read however it is written`(body: String, id: String) {
        #expect(MessageName(acceptance: Array(body.utf8))?.id == id)
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "null", #""name""#, #"{"name"}"#, #"{"name":}"#, #"{"name":7}"#, #"{"name":null}"#,
        #"{"name":""}"#, #"{"name":"/"}"#, #"{"name":"projects/p/messages/42""#, #"{"name":"projects/p/messages/42"}}"#,
        #"{"name":"projects/p/messages/42"} x"#, #"{"name":"projects/p/mess"#, #"{"names":"x"}"#,
        #"{'name':'x'}"#, "{\"name\":\"a\nb\"}",
    ])
    func `what is no answer of FCM's has none`(body: String) {
        #expect(MessageName(acceptance: Array(body.utf8)) == nil)
    }
}
