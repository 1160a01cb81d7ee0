package import FCM

/// A sender that runs each exchange as a task: slow, but easy to write.
package protocol TaskSender: Sender {
    func exchange(_ request: Request) async -> Exchange
}

extension TaskSender {
    package func start(_ calls: [Call]) async {
        for call in calls { Task { call.answer(await self.exchange(call.request)) } }
    }
}
