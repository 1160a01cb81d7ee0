# shellcheck shell=bash
# For scripts that show or check herald. Source it: it makes a copy of the example workspace, a state and an emulator,
# and removes all of them when the script ends. It sets `herald`, `work`, HERALD_STATE and FCM_EMULATOR_HOST. HERALD can
# name another binary than the one of the debug build.

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
# The examples name days of 2027. Here they are of the next year, so that none is too late.
sed -i.bak "s/^  at: 2027-/  at: $(($(date +%Y) + 1))-/" "$work"/campaigns/*.yaml
rm "$work"/campaigns/*.bak
export HERALD_STATE="$work/state.sqlite"

mkfifo "$work/ready"
"$herald" emulator --ledger "$work/ledger.ndjson" >"$work/ready" &
emulator=$!
read -r line <"$work/ready"
export "${line?}"

# Formats a time with GNU's or BSD's `date`. Arguments: time zone, seconds since 1970, format.
clock() { TZ="$1" date -d "@$2" "+$3" 2>/dev/null || TZ="$1" date -r "$2" "+$3"; }

# Makes station-briefing due one minute ago, so that `run` finds it, and sets `earlier` to half an hour ago.
move_briefing() {
    local minute=$(($(date +%s) - 60))
    sed -i.bak "s/^  cron: .*/  cron: \"$(clock Europe/Rome $minute '%M %H') * * *\"/" "$work/campaigns/station-briefing.yaml"
    rm "$work/campaigns/station-briefing.yaml.bak"
    # shellcheck disable=SC2034  # for whoever sources this
    earlier="$(clock UTC $((minute - 1800)) %Y-%m-%dT%H:%M:%SZ)"
}
