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
            // Silence is noticed early, and the next tries have time.
            times.answer = .milliseconds(300)
            times.reading = .milliseconds(300)
        }
        return PostgresServer(
            name: "test", schema: "test \"\(UUID().uuidString.prefix(8))", parameters: parameters, times: times)
    }
}
