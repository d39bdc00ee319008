# Helpers of the launchers. To be sourced.
arm_cancel() {
    trap 'scancel --name "$1"' EXIT INT TERM HUP
}
