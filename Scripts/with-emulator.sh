# Sourced by scripts that show or check herald: a copy of the example workspace, a state and an emulator of their own,
# all of it gone when the script ends. Sets `herald`, `work`, HERALD_STATE and FCM_EMULATOR_HOST. HERALD names another
# binary than the debug build's.

herald="${HERALD:-$(swift build --show-bin-path)/herald}"
work="$(mktemp -d)"
emulator=
end() {
    if [ -n "$emulator" ]; then
        kill "$emulator" 2>/dev/null || true
        wait "$emulator" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap end EXIT

cp -R campaigns "$work/campaigns"
export HERALD_STATE="$work/state.sqlite"

mkfifo "$work/ready"
"$herald" emulator --ledger "$work/ledger.ndjson" >"$work/ready" &
emulator=$!
read -r line <"$work/ready"
export "${line?}"

# A time of day in seconds since 1970, as GNU's and BSD's `date` write it. Arguments: time zone, seconds, format.
clock() { TZ="$1" date -d "@$2" "+$3" 2>/dev/null || TZ="$1" date -r "$2" "+$3"; }

# Lets station-briefing come due a minute ago, for `run` to find, and sets `earlier` to half an hour ago.
move_briefing() {
    local minute=$(($(date +%s) - 60))
    sed -i.bak "s/^  cron: .*/  cron: \"$(clock Europe/Rome $minute '%M %H') * * *\"/" "$work/campaigns/station-briefing.yaml"
    rm "$work/campaigns/station-briefing.yaml.bak"
    earlier="$(clock UTC $((minute - 1800)) %Y-%m-%dT%H:%M:%SZ)"
}
