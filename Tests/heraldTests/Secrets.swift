import FCM
import Foundation
import HeraldStore
import HeraldTestSupport

/// What must not be shown in clear. Each of it has a word in it that stands nowhere else.
enum Secrets {
    private static let word = "HUSH"
    /// In every value that fills a personal message.
    static let value = "QUIET"

    static func fid(_ number: Int) -> String { "c\(word)-\(1_000_000_000_000_000 + number)" }

    static func token(_ number: Int) -> String {
        "\(fid(number)):APA91b\(word)" + String(repeating: "x", count: 120)
    }

    /// Pieces of secrets: of registrations, of what the emulator gives out (access tokens, keys of groups), of the key
    /// file, and of values in lists.
    static let pieces: [String] = [word, value, "ya29.", "APA91b", "PRIVATE KEY"]

    /// The secrets in a text.
    ///
    /// - Parameter state: the path of the state, whose key turns registrations into fingerprints.
    static func found(in text: String, state: String) throws -> [String] {
        var all = pieces + (try ServiceAccountKey.secrets)
        if let key = try? SQLiteStore.open(at: state).fingerprintKey {
            all += [Data(key).base64EncodedString(), key.map { String($0, radix: 16) }.joined()]
        }
        return all.filter { text.contains($0) }
    }

    /// A workspace that uses registrations in every way there is, at an endpoint that wants a sign-in.
    static func workspace(_ endpoint: String, authorities: String) -> [String: String] {
        // The last one is too long.
        let rows = (1...12).map { number in
            (number.isMultiple(of: 2) ? ",\(fid(number))," : "\(token(number)),,")
                + String(repeating: value, count: number < 12 ? 1 : 7)
        }
        return [
            "workspace/herald.yaml": """
            herald: 1
            project: demo-project
            sender_id: "123456789012"
            fcm: {endpoint: '\(endpoint)', ca: \(authorities), credentials: ../key.json, rate: unlimited, ramp: 0s}

            """,
            "workspace/list.csv": "token,fid,name\n" + rows.joined(separator: "\n") + "\n",
            "workspace/resources.yaml": """
            kind: audience
            name: all
            source: {file: list.csv}
            fields: {name: {max: 30}}
            ---
            kind: topic
            name: news
            subscribers: [all]
            ---
            kind: group
            name: family
            members: {tokens: ['\(token(21))', '\(token(22))']}
            ---
            kind: campaign
            name: to-all
            target: {audience: all}
            message: {notification: {title: Hello}}
            ---
            kind: campaign
            name: by-name
            target: {audience: all}
            personal: {fields: [name], bad_rows: skip}
            message: {notification: {title: "Hello {{ name }}"}}
            ---
            kind: campaign
            name: to-topic
            target: {topic: news}
            message: {notification: {title: Hello}}
            ---
            kind: campaign
            name: to-family
            target: {group: family}
            message: {notification: {title: Hello}}
            ---
            kind: campaign
            name: to-each
            target: {group: family}
            delivery: {members: each}
            message: {notification: {title: Hello}}
            ---
            kind: campaign
            name: to-some
            target: {tokens: ['\(token(31))', '\(token(32))']}
            message: {notification: {title: Hello}}
            ---
            kind: campaign
            name: weekly
            target: {fids: ['\(fid(33))']}
            message: {notification: {title: Hello}}
            schedule: {cron: 7 9 * * MON}

            """,
        ]
    }

    /// Files with registrations where none belong.
    static let mistakes: [String: String] = [
        "workspace/rows.csv": "token,fid\n\(token(1))!,\n,\(fid(2))!\n\"\(token(3))\n",
        "workspace/mistakes.yaml": """
        kind: audience
        name: \(fid(1))
        source: {file: rows.csv}
        ---
        kind: audience
        name: some
        tokens: ['\(token(1))!', '\(fid(2))']
        exclude: ['\(fid(3))']
        where: {'\(fid(4))': ['\(fid(5))']}
        ---
        kind: topic
        name: "private/\(token(6))"
        subscribers: ['\(fid(7))']
        ---
        kind: campaign
        name: wrong
        owner: \(fid(8))
        target: {audience: \(fid(9))}
        message: {notification: {title: x, \(fid(1)): y}, token: \(token(2)), data: {from: \(fid(3))}}
        ---
        kind: campaign
        name: late
        target: {condition: "'\(fid(4))' in topics && \(fid(5))"}
        message: {notification: {title: x, image: "http://\(fid(6))"}, android: {ttl: \(fid(7))}}
        schedule: {cron: \(fid(8)), timezone: \(fid(9))}
        ---
        kind: \(fid(1))
        \(fid(2)): \(token(3))
        ---
        kind: campaign
        name: none
        target: {token: \(token(4))}
        message: {notification: {title: x}}

        """,
    ]
}
