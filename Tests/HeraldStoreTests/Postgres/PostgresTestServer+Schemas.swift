import Foundation
import HeraldTestSupport

@testable import HeraldStore

extension PostgresTestServer {
    /// A schema for one test. It is made with the state in it, and goes with the server.
    static func newSchema(through proxy: PostgresProxy? = nil) throws -> PostgresServer {
        var parameters = try running().parameters
        var times = PostgresTimes()
        if let proxy {
            parameters["host"] = proxy.folder
            // Silence is noticed early, but a busy machine answers before that, and the next tries have time.
            times.answer = .seconds(1)
            times.reading = .seconds(1)
            times.patience = .seconds(15)
        } else {
            // Tests that only compute get what time the others leave, and so does the server that they started.
            parameters["connect_timeout"] = "300"
            times.answer = .seconds(300)
        }
        return PostgresServer(
            name: "test", schema: "test \"\(UUID().uuidString.prefix(8))", parameters: parameters, times: times)
    }
}
