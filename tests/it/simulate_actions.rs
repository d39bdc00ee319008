//! Local composite actions: `simulate` follows their steps behind the step that uses them.

use serde_json::{Value as Json, json};

use super::support::{Output, folder_with, run};

const BUILD: &str = ".github/actions/build/action.yml";

fn simulated(workflow: &str, actions: &[(&str, &str)]) -> Output {
    let files: Vec<(&str, &str)> = std::iter::once(("w.yml", workflow)).chain(actions.iter().copied()).collect();
    run(folder_with(&files).path(), "--diagnostics json simulate w.yml --event push --format json")
}

fn steps(output: &Output) -> Vec<Json> {
    output.json()["jobs"][0]["legs"][0]["steps"].as_array().unwrap().clone()
}

fn job(steps: &str) -> String {
    format!(
        "on: push\nenv: {{TOP: top}}\njobs:\n  a:\n    runs-on: x\n    outputs: {{made: '${{{{ steps.b.outputs.made }}}}'}}\n    steps:\n{steps}"
    )
}

const ACTION: &str = "name: build\ndescription: d\ninputs:\n  target: {required: true}\n  flags: {default: '-O${{ 2 }}'}\n  \
                      bare: {}\noutputs:\n  made: {value: '${{ inputs.target }}-${{ steps.inner.outputs.o }}'}\n  fixed: {value: 'of ${{ inputs.target }}'}\n\
                      runs:\n  using: composite\n  steps:\n    - {name: Make, shell: bash, run: 'make ${{ inputs.target }} ${{ inputs.bare }}', env: {FLAGS: '${{ inputs.flags }}', SEEN: '${{ env.TOP }}/${{ env.OWN }}'}}\n    \
                      - {id: inner, shell: bash, run: 'echo', if: \"inputs.target == 'all'\"}\n";

#[test]
fn the_steps_of_an_action_follow_the_step_that_uses_it() {
    let workflow = job(
        "      - {id: b, name: Build, uses: ./.github/actions/build, env: {OWN: own}, with: {target: '${{ github.event_name }}'}}\n      \
         - run: 'echo ${{ steps.b.outputs.fixed }}'\n",
    );
    let output = simulated(&workflow, &[(BUILD, ACTION)]);
    assert_eq!((output.exit, output.diagnostics().len()), (0, 0), "{}", output.stderr);
    let steps = steps(&output);
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[0]["uses"], "./.github/actions/build");
    assert_eq!(
        steps[1],
        json!({"name": "Build / Make", "uses": null, "run": "make push ", "if": null,
               "env": {"OWN": "own", "FLAGS": "-O2", "SEEN": "top/own"}})
    );
    assert_eq!((&steps[2]["name"], &steps[2]["if"]), (&json!("Build / Run echo"), &json!(false)));
    assert_eq!(steps[3]["run"], "echo of push");
}

#[test]
fn outputs_of_an_action_are_known_as_far_as_they_can_be() {
    let workflow = |target: &str| {
        format!(
            "{}  b:\n    needs: a\n    if: needs.a.outputs.made == 'x'\n    runs-on: x\n    steps: [{{run: a}}]\n",
            job(&format!("      - {{id: b, uses: ./.github/actions/build, with: {{target: {target}}}}}\n"))
        )
    };
    // The inner step is skipped for any other target, and its outputs are empty then.
    let skipped = simulated(&workflow("x"), &[(BUILD, ACTION)]).json();
    assert_eq!(
        (&skipped["jobs"][1]["state"], &skipped["jobs"][1]["because"]["value"]),
        (&json!("skip"), &json!(false))
    );
    let unknown = simulated(&workflow("all"), &[(BUILD, ACTION)]).json();
    assert_eq!(unknown["jobs"][1]["state"], "unknown");
    assert_eq!(unknown["jobs"][1]["depends_on"], json!(["steps.inner.outputs.o"]));
}

#[test]
fn inputs_are_compared_with_what_the_action_declares() {
    let workflow =
        job("      - {uses: ./.github/actions/build, with: {taget: a}}\n      - {uses: ./.github/actions/none}\n");
    let output = simulated(&workflow, &[(BUILD, ACTION)]);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let found: Vec<Json> =
        output.diagnostics().iter().map(|d| json!([d["severity"], d["code"], d["line"], d["message"]])).collect();
    assert_eq!(
        found,
        [
            json!(["warning", "SRTX0611", 8, "the action ./.github/actions/build declares no input `taget`"]),
            json!(["warning", "SRTX0611", 8, "the step lacks `target`, which ./.github/actions/build calls required"]),
            json!(["warning", "SRTX0606", 9, "there is no action in ./.github/actions/none"]),
        ]
    );
    assert_eq!(output.diagnostics()[0]["help"], "did you mean `target`?");
}

#[test]
fn what_actions_cannot_have_is_refused() {
    let action = |steps: &str| format!("runs:\n  using: composite\n  steps:\n    - {steps}\n");
    let workflow = job("      - uses: ./.github/actions/build\n");
    for (steps, code, text) in [
        ("{run: a}", "SRTX0601", "needs a `shell`"),
        ("{run: '${{ secrets.x }}', shell: sh}", "SRTX0607", "no context `secrets`"),
        ("{run: '${{ needs.x }}', shell: sh}", "SRTX0607", "no context `needs`"),
        ("{uses: ./.github/actions/build}", "SRTX0606", "in a circle: .github/actions/build → .github/actions/build"),
    ] {
        let output = simulated(&workflow, &[(BUILD, &action(steps))]);
        assert_eq!(output.exit, 1, "{steps}");
        let found = output.diagnostics();
        assert_eq!((found.len(), &found[0]["code"]), (1, &json!(code)), "{steps} {found:#?}");
        assert!(found[0]["message"].as_str().unwrap().contains(text) && found[0]["file"] == BUILD, "{found:#?}");
    }
}

#[test]
fn an_action_of_a_stranger_is_not_taken_for_one_of_ours() {
    let matrix = "runs:\n  using: composite\n  steps: [{id: s, shell: sh, run: echo}]\noutputs: {points: {value: '${{ steps.s.outputs.p }}'}}\n";
    let workflow =
        job("      - {id: b, uses: ./.github/actions/matrix}\n      - run: 'echo ${{ steps.b.outputs.points }}'\n");
    let output = simulated(&workflow, &[(".github/actions/matrix/action.yml", matrix)]);
    assert_eq!((output.exit, output.diagnostics().len()), (0, 0), "{}", output.stderr);
    assert_eq!(steps(&output)[2]["run"], json!({"unknown": ["steps.s.outputs.p"]}));
    let remote = simulated(&job("      - {id: b, uses: acme/x/actions/matrix@v1}\n"), &[]);
    assert_eq!((remote.exit, remote.diagnostics().len()), (0, 0), "{}", remote.stderr);
}

#[test]
fn a_step_that_is_skipped_leaves_nothing_and_is_not_followed() {
    let workflow = job(
        "      - {id: b, if: \"github.event_name == 'issues'\", uses: ./.github/actions/build, with: {target: a}}\n      \
         - run: 'is ${{ steps.b.outcome }} [${{ steps.b.outputs.made }}]'\n",
    );
    let steps = steps(&simulated(&workflow, &[(BUILD, ACTION)]));
    assert_eq!((steps.len(), &steps[1]["run"]), (2, &json!("is skipped []")));
}

#[test]
fn variables_that_a_script_sets_are_unknown_and_not_empty() {
    let workflow = job(
        "      - run: 'echo ${{ env.VERSION }}'\n      - run: 'echo \"VERSION=$(cat v)\" >> \"$GITHUB_ENV\"'\n      \
         - {run: 'echo ${{ env.VERSION }} ${{ env.TOP }}', if: env.OTHER}\n",
    );
    let steps = steps(&simulated(&workflow, &[]));
    assert_eq!(steps[0]["run"], "echo ");
    assert_eq!(steps[2]["run"], json!({"unknown": ["env.VERSION"]}));
    assert_eq!(steps[2]["if"], json!(false));
}

#[test]
fn conditions_of_steps_take_earlier_steps_to_succeed_unless_told_otherwise() {
    let workflow = "on: push\njobs:\n  z: {runs-on: x, steps: [{run: a}]}\n  a:\n    needs: z\n    if: always()\n    runs-on: x\n    \
                    steps: [{run: a, if: success()}, {run: a, if: failure()}, {run: a, if: always()}]\n";
    let conditions = |options: &str| {
        let folder = folder_with(&[("w.yml", workflow)]);
        let simulation = run(folder.path(), &format!("simulate w.yml --format json {options}")).json();
        let steps = simulation["jobs"][1]["legs"][0]["steps"].as_array().unwrap().clone();
        Json::Array(steps.iter().map(|step| step["if"].clone()).collect())
    };
    let unknown = json!({"unknown": ["job.status"]});
    assert_eq!(conditions(""), json!([true, false, true]));
    // That a needed job failed says nothing of the steps here.
    assert_eq!(conditions("--result z=failure"), json!([true, false, true]));
    assert_eq!(conditions("--result a=failure"), json!([unknown, unknown, true]));
}
