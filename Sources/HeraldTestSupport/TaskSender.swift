package import FCM

/// A sender of which each exchange is a task of its own: slow, and easily written.
package protocol TaskSender: Sender {
    func exchange(_ request: Request) async -> Exchange
}

extension TaskSender {
    package func start(_ calls: [Call]) async {
        for call in calls { Task { call.answer(await self.exchange(call.request)) } }
    }
}
