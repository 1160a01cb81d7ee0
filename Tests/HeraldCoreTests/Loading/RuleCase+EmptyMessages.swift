import HeraldCore

private func campaign(_ rest: String) -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\n\(rest)\n"
}
private func message(_ rest: String) -> String { campaign("message: \(rest)") }

extension RuleCase {
    static let messages: [RuleCase] = [
        RuleCase(
            .messageTarget, "a topic", message("{notification: {title: x}, data: {a: b}, ▸topic: t}"),
            near: message("{notification: {title: x}, data: {topic: t}}")),
        RuleCase(
            .messageTarget, "a token", message("{▸token: x, data: {a: b}}"),
            near: message("{notification: {title: x}, data: {token: x}}")),
        RuleCase(
            .messageTarget, "a fid", message("{▸fid: x}"), near: message("{notification: {title: x}, data: {fid: x}}")),
        RuleCase(
            .messageTarget, "a condition", message("{▸condition: x}"),
            near: message("{notification: {title: x}, data: {condition: x}}")),
        RuleCase(.emptyMessage, "nothing", message("▸{}"), near: message("{notification: {title: x}}")),
        RuleCase(
            .emptyMessage, "a label only", message("▸{fcm_options: {analytics_label: x}}"),
            near: message("{webpush: {notification: {title: x}}}")),
        RuleCase(
            .emptyMessage, "no data in the data", message("▸{data: {}}"),
            near: message("{notification: {title: x}, data: {a: ''}}")),
        RuleCase(
            .emptyMessage, "options only", message("▸{android: {ttl: 60s}}"),
            near: message("{android: {notification: {title: x}, data: {a: b}}}")
        ),
        RuleCase(
            .apsMissing, "a payload without", message("{apns: {▸payload: {a: b}}}"),
            near: message("{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}}}}")),
        RuleCase(
            .apsMissing, "an aps that is a text", message("{apns: {▸payload: {aps: x}}}"),
            near: message("{apns: {headers: {apns-push-type: alert}, payload: {aps: {alert: x}}}}")),
    ]
}
