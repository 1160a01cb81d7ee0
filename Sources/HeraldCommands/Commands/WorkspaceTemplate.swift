/// The files that `init` makes: a small valid workspace with comments that explain each part.
enum WorkspaceTemplate {
    static let files = [
        (
            name: "herald.yaml",
            text: """
            herald: 1                # format version
            project: my-project      # the FCM project's id
            timezone: UTC            # an IANA name: whose clock schedules mean
            # state: .herald/state.sqlite   # what herald did; keep it, and keep it out of git
            # suppress: [opted-out]         # audiences that get nothing, whatever else a file says
            # fcm: {rate: 500/s}            # how fast messages may go out

            """
        ),
        (
            name: "audiences.yaml",
            text: """
            # An audience is a named set of app installations.
            kind: audience
            name: everybody
            source: {file: lists/everybody.csv}   # a column token or fid; columns: {…} says if it has another name
            ---
            kind: audience
            name: opted-out
            source: {file: lists/opted-out.txt}

            """
        ),
        (
            name: "topics.yaml",
            text: """
            # herald subscribes whom the audiences list and unsubscribes whom they no longer list. Leave 'subscribers' and
            # 'exclude' out if the app subscribes its users itself.
            kind: topic
            name: news
            subscribers: [everybody]
            exclude: [opted-out]

            """
        ),
        (
            name: "campaigns/welcome.yaml",
            text: """
            # One message, one target, one schedule. Without a schedule it is sent once, at the next apply.
            kind: campaign
            name: welcome
            description: The first message to everybody who follows the news
            target: {topic: news}
            message:
              notification:
                title: Welcome
                body: Good to have you here
              apns:
                headers: {apns-push-type: alert}

            """
        ),
        (
            name: "lists/everybody.csv",
            text: """
            fid,locale
            cEXAMPLE-only-00000001,en
            dEXAMPLE-only-00000002,it

            """
        ),
        (
            name: "lists/opted-out.txt",
            text: """
            # One token or fid a line.
            dEXAMPLE-only-00000002

            """
        ),
        (
            name: ".gitignore",
            text: """
            .herald/

            """
        ),
    ]
}
