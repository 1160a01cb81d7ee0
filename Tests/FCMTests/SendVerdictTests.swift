import FCM
import Testing

struct SendVerdictTests {
    @Test(arguments: device)
    func `an answer to one registration is judged by its details`(_ answer: Answer) throws {
        for registration in [try Registration.fid, try .token] {
            check(Verdict(send: answer.exchange, to: .registration(registration)), answer)
        }
    }

    @Test(arguments: topic)
    func `an answer to a topic or a condition is judged as one to many`(_ answer: Answer) throws {
        let condition = try Condition(parsing: "'t' in topics")
        for address in [Address.topic(try .sample("t")), .condition(condition)] {
            check(Verdict(send: answer.exchange, to: address), answer)
        }
    }

    @Test(arguments: group)
    func `an answer to a group is judged as one to many, whose address can be gone`(_ answer: Answer) throws {
        check(Verdict(send: answer.exchange, to: .group(try .sample("APA91bKey"))), answer)
    }

    @Test func `what cannot be sent before a person helps stops it all`() throws {
        let failure = Failure(code: "NOT_POSSIBLE", message: "the key was revoked")
        let refused = Exchange.refused(reason: "the key was revoked")
        #expect(Verdict(send: refused, to: .registration(try .fid)) == .stop(failure))
        #expect(Verdict(membership: refused, subscribes: true) == .stop(failure))
        #expect(Verdict.verdicts(batch: refused, for: [try .fid, try .token]) == [.stop(failure), .stop(failure)])
        #expect(GroupVerdict(refused, for: .retrieve(try .sample("g"))) == .stop(failure))
    }

    @Test func `what did not leave may go again`() throws {
        let verdict = Verdict(send: .notSent(reason: "GOAWAY"), to: .registration(try .fid))
        #expect(Meaning(verdict) == .again(.none))
        #expect(verdict.failure == Failure(code: "NOT_SENT", message: "GOAWAY"))
    }

    @Test func `what was lost on its way is unknown`() throws {
        for address in [Address.registration(try .fid), .topic(try .sample("t"))] {
            #expect(
                Verdict(send: .lost(reason: "reset"), to: address)
                    == .unknown(Failure(code: "CONNECTION_LOST", message: "reset")))
        }
    }

    @Test func `FCM's own sentence is kept`() throws {
        let answer = Answer("", 404, fcm("NOT_FOUND", "UNREGISTERED", "NotRegistered"), .dead)
        #expect(Verdict(send: answer.exchange, to: .registration(try .fid)).failure?.message == "NotRegistered")
    }

    @Test(arguments: [fidText, tokenText])
    func `a registration in FCM's sentence is not kept`(_ text: String) throws {
        let written = [
            text, "projects/p/registrations/\(text)", "Invalid value at 'message.token' (TYPE_STRING), '\(text)'",
            "registrations/\(text.percentEncodedSegment)/topicSubscriptions",
        ]
        for sentence in written {
            let answer = Answer("", 400, rpc("INVALID_ARGUMENT", sentence), .stop)
            let verdicts = [
                Verdict(send: answer.exchange, to: .registration(try .sample(text))),
                Verdict(membership: answer.exchange, subscribes: true),
            ]
            for verdict in verdicts {
                let message = try #require(verdict.failure?.message)
                #expect(!message.contains(fidText))
                #expect(!message.contains("APA91b"))
            }
        }
    }

    private func check(_ verdict: Verdict, _ answer: Answer) {
        #expect(Meaning(verdict) == answer.means)
        guard let failure = verdict.failure else { return }
        #expect(failure.code == answer.code)
        #expect(failure.httpStatus == answer.status)
        #expect(!failure.message.contains("<"))
    }
}
