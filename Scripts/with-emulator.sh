# Sourced by scripts that show or check herald: a copy of the example workspace, a record and an emulator of their own,
# all of it gone when the script ends. Sets `herald`, `work`, HERALD_STATE and FCM_EMULATOR_HOST.

herald="$(swift build --show-bin-path)/herald"
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
