//! What the reader makes of scripts, construct by construct.

use indoc::indoc;

use super::*;

/// Reads a script that bash takes.
fn good(text: &str) -> Script<'_> {
    let script = read_script(text);
    assert_eq!(script.problems, [], "{text}");
    script
}

fn reads(text: &str) -> Vec<(&str, ReadKind)> {
    good(text).facts.reads.iter().map(|read| (read.name, read.kind)).collect()
}

fn bare(text: &str) -> Vec<&str> {
    reads(text).into_iter().filter(|(_, kind)| *kind == ReadKind::Bare).map(|(name, _)| name).collect()
}

fn assigned(text: &str) -> Vec<(&str, AssignmentKind)> {
    good(text).facts.assignments.iter().map(|one| (one.name, one.kind)).collect()
}

fn exported(text: &str) -> Vec<&str> {
    good(text).facts.exports.iter().map(|one| one.name).collect()
}

fn words(text: &str) -> Vec<String> {
    let script = good(text);
    let last = script.commands.last().unwrap();
    last.words.iter().map(|word| pattern_of(&word.parts).into_owned()).collect()
}

fn problems(text: &str) -> Vec<(String, String)> {
    let script = read_script(text);
    script.problems.iter().map(|one| (text[one.span.range()].to_owned(), one.message.clone())).collect()
}

#[test]
fn quotes_decide_what_is_expanded() {
    assert_eq!(bare(r#"echo '$A' "$B" $C \$D "\$E" $'it\'s $F' $"$G""#), ["B", "C", "G"]);
    assert_eq!(words(r#"a "b c" 'd'"e"f \; "x\"y" '' ''"#), ["a", "b c", "def", ";", "x\"y", "", ""]);
}

#[test]
fn every_form_of_an_expansion_is_known() {
    use ReadKind::{Bare, Defaulted, Required, Tested};
    let text =
        "echo ${A} ${B:-d} ${C-d} ${D:=d} ${E:?e} ${F?e} ${G:+a} ${H%%_*} ${I//a/b} ${#J} ${K[@]} ${L:2:3} ${M^^}";
    let kinds = [Bare, Defaulted, Defaulted, Defaulted, Required, Required, Tested, Bare, Bare, Bare, Bare, Bare, Bare];
    let names: Vec<_> =
        ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M"].into_iter().zip(kinds).collect();
    assert_eq!(reads(text), names);
}

#[test]
fn parameters_of_the_shell_are_no_variables() {
    assert_eq!(reads("echo $1 $@ $* $# $? $$ $! ${10} ${#} ${@:2} ${!#} ${1:-x} $- \"$\" a$"), []);
}

#[test]
fn expansions_nest() {
    assert_eq!(bare("echo \"${A:-${B:-$(cat \"$C\" `echo $D`)}}\" ${E#\"$F\"}"), ["B", "C", "D", "E", "F"][1..]);
    assert_eq!(bare("x=\"${A%\"}\"}\"; echo \"${B:-it's}\" ${C:-'}'} \"${D/'}'/x}\""), ["A", "D"]);
}

#[test]
fn a_github_expression_is_text() {
    assert_eq!(bare("echo \"${{ join(fromJson('[\"}}\"]'), ' ') }}\" ${{ inputs.a }}$A"), ["A"]);
    assert_eq!(exported("export ${{ join(inputs.settings, ' ') }}\nexport A=${{ inputs.a }}"), ["A"]);
    assert_eq!(good("export ${{ inputs.x }}").facts.unknown_exports.len(), 1);
}

#[test]
fn arithmetic_reads_and_assigns_names() {
    assert_eq!(
        reads("echo $(( A * ${B:-1} + 0xff + 16#ab ))"),
        [("A", ReadKind::Arithmetic), ("B", ReadKind::Defaulted)]
    );
    assert_eq!(assigned("(( N += 1 )); (( M == 1 )); for (( i = 0; i < 3; i++ )); do :; done").len(), 3);
    assert_eq!(bare("( (echo $A) ); ((echo $B); echo $C); $( (echo $D) )"), ["A", "B", "C", "D"]);
}

#[test]
fn here_documents_expand_unless_the_delimiter_is_quoted() {
    let text = indoc! {r#"
        cat <<EOF >"$F" && echo $A
        x: $B "$C" 'd $D'
        EOF
        cat <<'EOF'
        $NOT
        EOF
        cat <<-"END" <<B2
        	$NOT
        	END
        \$NOT ${E:-"x"}
        B2
        cat <<<"$G"
    "#};
    assert_eq!(bare(text), ["B", "C", "D", "F", "A", "G"]);
    let script = good(text);
    let bodies: Vec<&str> = script.heredocs.iter().map(|one| &text[one.body.range()]).collect();
    assert_eq!(bodies, ["x: $B \"$C\" 'd $D'\n", "$NOT\n", "\t$NOT\n", "\\$NOT ${E:-\"x\"}\n"]);
}

#[test]
fn a_here_document_may_stand_inside_a_substitution() {
    let text = "x=$(cat <<EOF\n$A ) ;;\nEOF\n)\necho $B\n";
    assert_eq!(bare(text), ["A", "B"]);
}

#[test]
fn comments_and_continued_lines_are_skipped() {
    assert_eq!(words("echo a \\\n  b # $C\n"), ["echo", "a", "b"]);
    assert_eq!(bare("# $A\necho $#$B a#$C;# $D\r\necho $E\r\n"), ["B", "C", "E"]);
}

#[test]
fn compound_commands_hold_lists() {
    let text = indoc! {r#"
        if [[ "$A" == x* && ( -n $B || $C =~ ^(a|b)$ ) ]]; then echo "$D"; elif test "$E" = 1; then :; else echo $F; fi
        while read -r line; do echo "$line$G"; done < "$H"
        until [ -f "$I" ]; do sleep 1; done &
        for x in "$J" b; do { echo $x; }; done
        case "$K" in (a|b*) echo $L ;; done) ;& *) echo $M;; esac
        select y in a; do break; done
        f() { echo "$N"; }
        function g-h { ( echo $O ); }
        [ "$P" ] || exit 1
    "#};
    let expected = ["A", "C", "D", "E", "F", "line", "G", "H", "I", "J", "x", "K", "L", "M", "N", "O", "P"];
    assert_eq!(bare(text), expected);
    let names: Vec<&str> = good(text).facts.functions.iter().map(|one| one.name).collect();
    assert_eq!(names, ["f", "g-h"]);
}

#[test]
fn a_case_may_stand_inside_a_substitution() {
    assert_eq!(bare("x=$(case $A in a) echo $B;; b) echo $C; esac)"), ["A", "B", "C"]);
}

#[test]
fn extended_patterns_and_brace_expansions_are_words() {
    assert_eq!(
        words("rm -f !(a|$(b)) x@(1|2) {a,b}{1..3} a[0-9]*"),
        ["rm", "-f", "!(a|*)", "x@(1|2)", "{a,b}{1..3}", "a[0-9]*"]
    );
}

#[test]
fn every_way_to_assign_is_known() {
    use AssignmentKind::{Arithmetic, Builtin, Default, Local, Loop, Plain, Prefix};
    let text = indoc! {r#"
        A=1
        B+=(x "$y") C[1]=2 D["k"]+=3
        E=1 F=2 cmd
        declare -A G; readonly H=1; typeset I
        read -r -p "t $x" J K; IFS=, read -ra L <<<"x"
        mapfile -t M < f; printf -v N %s x; getopts ab: O
        for P in a; do :; done
        : "${Q:=1}"; (( R = 1 )); exec {S}>f
        f() { local T=1 U; declare V; }
        env W=1 X=2 cmd Y=3
    "#};
    let kinds = [
        ("A", Plain),
        ("B", Plain),
        ("C", Plain),
        ("D", Plain),
        ("E", Prefix),
        ("F", Prefix),
        ("G", Plain),
        ("H", Plain),
        ("I", Plain),
        ("J", Builtin),
        ("K", Builtin),
        ("IFS", Prefix),
        ("L", Builtin),
        ("M", Builtin),
        ("N", Builtin),
        ("O", Builtin),
        ("P", Loop),
        ("Q", Default),
        ("R", Arithmetic),
        ("S", Builtin),
        ("T", Local),
        ("U", Local),
        ("V", Local),
        ("W", Prefix),
        ("X", Prefix),
    ];
    assert_eq!(assigned(text), kinds);
}

#[test]
fn every_way_to_export_is_known() {
    let text = indoc! {r#"
        export A=1 B
        declare -x C=1; typeset -gx D
        for v in E F; do export "$v"; done
        NAMES="G H"; for v in $NAMES; do export "$v=1"; done
        LIST=(I J); for v in "${LIST[@]}"; do export "${v}"; done
        set -a; K=1; set +a; L=1
        set -o allexport; M=1; set +o allexport
        export -f fun; export -n N; export -p
        X=1 cmd
    "#};
    assert_eq!(exported(text), ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "M"]);
}

#[test]
fn a_test_for_emptiness_is_no_use() {
    let text = "[ -z \"$A\" ]; [[ -n $B && -v C ]]; test -n \"${D:-}\"; [[ \"$E\" == 1 ]]; ${F:+x}";
    use ReadKind::{Bare, Defaulted, Tested};
    assert_eq!(
        reads(text),
        [("A", Tested), ("B", Tested), ("C", Tested), ("D", Defaulted), ("E", Bare), ("F", Tested)]
    );
}

#[test]
fn checks_by_name_are_requirements() {
    let text = "for v in A B; do [ -n \"${!v}\" ] || exit 1; done; check() { for n in \"$@\"; do echo ${!n}; done; }";
    let required: Vec<&str> =
        reads(text).into_iter().filter(|(_, kind)| *kind == ReadKind::Required).map(|(name, _)| name).collect();
    assert_eq!(required, ["A", "B"]);
    assert!(good(text).facts.functions[0].checks_arguments);
    assert!(good("f() { while (( $# )); do echo ${!1}; shift; done; }").facts.functions[0].checks_arguments);
    assert!(!good("f() { echo $1; }").facts.functions[0].checks_arguments);
}

#[test]
fn awk_and_python_are_opaque_but_for_the_environment() {
    let text = indoc! {r#"
        awk -F: '{ print $NF, $A, ENVIRON["B"] }' f
        python3 - <<'PY'
        import os
        x = os.environ["C"] or f"{y} $D"
        z = os.environ.get('E', '')
        PY
        python3 -c 'import os; print(os.getenv("F"))'
    "#};
    let script = good(text);
    let found: Vec<_> = script.facts.reads.iter().map(|read| (read.name, read.kind, read.by_child)).collect();
    use ReadKind::{Bare, Defaulted};
    assert_eq!(found, [("B", Defaulted, true), ("C", Bare, true), ("E", Defaulted, true), ("F", Defaulted, true)]);
    assert!(script.facts.reads.iter().all(|read| &text[read.span.range()] == read.name));
}

#[test]
fn shell_in_single_quotes_is_read_where_a_shell_runs_it() {
    let text = "trap 'scancel \"$A\"' EXIT; srun --x bash -lc 'echo \"$B\"; export C=1'; eval 'D=$E'; ssh h 'echo $F'";
    let script = good(text);
    let found: Vec<_> = script.facts.reads.iter().map(|read| (read.name, read.by_child)).collect();
    assert_eq!(found, [("A", false), ("B", true), ("E", false)]);
    let assigned: Vec<_> = script.facts.assignments.iter().map(|one| (one.name, one.by_child)).collect();
    assert_eq!(assigned, [("C", true), ("D", false)]);
}

#[test]
fn traps_sources_and_options_are_facts() {
    let text =
        "#!/bin/bash -e\nset -uo pipefail\ntrap cleanup EXIT SIGINT 15\n. lib.sh; source \"$(dirname \"$0\")/../a.sh\"";
    let facts = good(text).facts;
    assert_eq!(facts.traps[0].signals, ["EXIT", "INT", "TERM"]);
    assert_eq!(facts.traps[0].action.as_deref(), Some("cleanup"));
    let sources: Vec<_> = facts.sources.iter().map(|one| one.pattern.as_ref()).collect();
    assert_eq!(sources, ["lib.sh", "*/../a.sh"]);
    let settings = facts.settings;
    assert!(settings.ever_stops() && settings.nounset.is_some() && settings.pipefail.is_some());
    assert!(!good("set +e; set -- -e").facts.settings.ever_stops());
    let settings = good("set -e; a; set +e; b").facts.settings;
    assert!(settings.stops_at(8, false) && !settings.stops_at(19, true));
}

#[test]
fn writes_to_the_files_of_the_runner_are_found() {
    let text = indoc! {r#"
        echo "A=$X" >> "$GITHUB_ENV"
        printf 'B=%s\n' "$Y" >>$GITHUB_ENV
        { echo "C<<EOF"; cat f; echo EOF; } >> "${GITHUB_OUTPUT}"
        cat >> "$GITHUB_ENV" <<EOF
        D=1
        E=$X
        EOF
        echo "F=1" | tee -a "$GITHUB_OUTPUT"
        echo "G=1" > other
        echo -e "H=1\nI=2" >> $GITHUB_STATE
    "#};
    let script = good(text);
    let names: Vec<_> = script.facts.writes.iter().map(|one| (one.name.as_ref(), one.file)).collect();
    use RunnerFile::{Env, Output, State};
    let expected =
        [("A", Env), ("B", Env), ("C", Output), ("D", Env), ("E", Env), ("H", State), ("I", State), ("F", Output)];
    assert_eq!(names, expected);
}

#[test]
fn contexts_say_whether_a_command_runs_and_counts() {
    let text = indoc! {"
        a || b
        c &
        if d; then e; fi
        for x in y; do f; done
        (g)
        h | i && j
        k() { l; }
        ! m
        n
    "};
    let script = good(text);
    let of = |name: &str| script.commands.iter().find(|command| command.is_named(name)).unwrap().context;
    assert!(of("a").is_condition && !of("b").is_condition && of("b").in_branch);
    assert!(of("c").background && of("d").is_condition && of("e").in_branch);
    assert!(of("f").in_loop && of("g").in_subshell && of("h").in_subshell && of("h").is_condition);
    assert!(of("i").is_condition && of("j").in_branch && of("l").function == Some("k") && of("m").is_condition);
    assert_eq!(of("n"), Context::default());
}

#[test]
fn commands_know_their_words_and_links() {
    let script = good("X=1 /usr/bin/srun -N 1 \\\n --export=ALL,P=1 bash \"$S\" >out 2>&1 && b; c | d &");
    let command = &script.commands[0];
    assert!(command.is_named("srun") && command.name() == "/usr/bin/srun");
    assert_eq!((command.words.len(), command.redirects.len(), command.assignments.len()), (6, 2, 1));
    let links: Vec<_> = script.list.iter().map(|one| (one.link, one.background)).collect();
    assert_eq!(links, [(Link::Next, false), (Link::And, false), (Link::Next, true), (Link::Pipe, true)]);
}

#[test]
fn what_bash_refuses_is_named_where_it_starts() {
    for (text, place, message) in [
        ("echo \"a\nb", "\"", "the double quote that starts here is not closed"),
        ("echo 'a\nb", "'", "the single quote that starts here is not closed"),
        ("x=$(echo a\nb", "$(", "the `(` that starts here is not closed with `)`"),
        ("echo ${A", "${", "the `${` that starts here is not closed with `}`"),
        ("if a; then b\n", "if", "the `if` that starts here has no `fi`"),
        ("while a; b; done\n", "while", "the `while` that starts here has no `do`"),
        ("for x in a; do b\n", "for", "the `for` that starts here has no `done`"),
        ("case x in a) b;;\n", "case", "the `case` that starts here has no `esac`"),
        ("f() { a\n", "{", "the `{` that starts here has no `}`"),
        ("a\nfi\nb", "fi", "`fi` closes nothing here"),
        ("a &&\n", "&&", "a command is missing behind `&&`"),
        ("| a", "|", "a command is missing in front of `|`"),
        ("cat <<EOF\nx\n", "<<EOF", "the here-document is not ended by a line `EOF`"),
        ("a=(b", "(", "the array that starts here is not closed with `)`"),
        ("[[ a == b", "[[", "the `[[` that starts here has no `]]`"),
        ("echo a >", ">", "a word is missing behind the redirection"),
        ("echo (a)", "(", "`(` cannot stand here"),
    ] {
        let found = problems(text);
        assert_eq!(found.first(), Some(&(place.to_owned(), message.to_owned())), "{text}");
    }
}

#[test]
fn what_stands_behind_a_mistake_is_still_read() {
    let names = |text| read_script(text).facts.reads.iter().map(|read| read.name).collect::<Vec<_>>();
    assert_eq!(names("if a; then\n echo $A\ndone\necho $B\n"), ["A", "B"]);
    assert_eq!(names("for x in a; do if b; then echo $A; done\necho $B\n"), ["A", "B"]);
    assert_eq!(names(")\n}\necho $A | ; echo $B\n"), ["A", "B"]);
}

#[test]
fn deep_nesting_is_refused_and_not_a_crash() {
    for piece in
        ["$(", "(", "((", "{ ", "\"$(", "${a:-", "`$(", "if ", "x=(", "@(", "<(", "[[ $(", "a() { ", "case x in a) "]
    {
        let script_text = piece.repeat(5000);
        assert!(!read_script(&script_text).problems.is_empty(), "{piece}");
    }
}

#[test]
fn the_program_stands_behind_its_wrappers() {
    for text in
        ["srun a", "exec srun a", "sudo -n -u x /usr/bin/srun a", "timeout -k 5 10 srun a", "env -i X=1 nohup srun a"]
    {
        let script = good(text);
        assert!(script.commands[0].runs("srun") && script.commands[0].program_arguments()[0].is("a"), "{text}");
    }
    assert!(good("sudo").commands[0].program().is_empty());
}
