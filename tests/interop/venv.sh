# Sourced by `install` and `load`, and by `install` of the workflows: a virtual environment that is built again only when
# its pins changed.

# prepare_venv DIRECTORY REQUIREMENTS
prepare_venv() {
    local venv=$1 requirements=$2 wanted
    wanted=$(sha256sum "$requirements" | cut -d' ' -f1)
    if [[ -x $venv/bin/python && -f $venv/pins.sha256 && $(cat "$venv/pins.sha256") == "$wanted" ]]; then
        echo "${venv##*/}: using the environment in $venv"
        return
    fi
    echo "${venv##*/}: making the environment in $venv"
    rm -rf "$venv"
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install --no-input --disable-pip-version-check -q -r "$requirements"
    # Written last, so that an interrupted install is done again.
    echo "$wanted" >"$venv/pins.sha256"
}
