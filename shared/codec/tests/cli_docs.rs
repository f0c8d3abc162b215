//! The examples of the specification and of the front page are run.
//!
//! In `docs/wire-format.md` an example is a `console` block: a command after `$`, a line in after `<`, and the line
//! it has to yield after `>`. The tables of blocks and of foreign layouts are examples as well.
#![allow(clippy::expect_used)] // An example that does not run is the failure.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

fn page(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).expect("the page is there")
}

/// Runs a line through a pipe of `codec` commands.
fn run(pipe: &str, line: &str) -> String {
    pipe.split(" | ").fold(line.to_owned(), |input, command| {
        let args = command
            .strip_prefix("codec ")
            .expect("an example runs codec");
        let mut child = Command::new(env!("CARGO_BIN_EXE_codec"))
            .args(args.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        writeln!(stdin, "{input}").expect("the command reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the command ends");
        String::from_utf8(output.stdout)
            .expect("UTF-8")
            .trim_end()
            .to_owned()
    })
}

#[test]
fn the_examples_of_the_specification_hold_to_the_letter() {
    let page = page("docs/wire-format.md");
    let blocks = page.split("```console\n").skip(1);
    let mut examples = 0;
    for block in blocks {
        let (block, _) = block.split_once("\n```").expect("a block ends");
        let (mut command, mut answer) = ("", String::new());
        for line in block.lines() {
            match line.split_at_checked(2) {
                Some(("$ ", pipe)) => command = pipe,
                Some(("< ", input)) => answer = run(command, input),
                Some(("> ", expected)) => {
                    assert_eq!(answer, expected, "{command}");
                    examples += 1;
                }
                _ => panic!("neither command, line in nor line out: {line}"),
            }
        }
    }
    assert!(examples >= 7, "{examples} examples found");
}

/// The rows of the table with this first heading, their cells without backticks.
fn rows<const N: usize>(page: &str, heading: &str) -> Vec<[String; N]> {
    let (_, table) = page
        .split_once(&format!("\n| {heading} | "))
        .expect("the table is there");
    let lines = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with("| "));
    let cells = |line: &str| {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().trim_matches('`').to_owned())
            .collect::<Vec<_>>()
    };
    lines
        .map(|line| cells(line).try_into().expect("as many cells as headings"))
        .collect()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn each_block_of_the_converse_table_is_what_the_table_says_and_comes_back() {
    let page = page("docs/wire-format.md");
    let rows: Vec<[String; 3]> = rows(&page, "Converse block");
    assert!(rows.len() > 10);
    for [block, role, messages] in rows {
        let message = json!({"role": role, "content": [parse(&block)]});
        let answer = parse(&run(
            "codec encode --from converse | codec decode --strict",
            &message.to_string(),
        ));
        assert_eq!(
            answer,
            json!({"messages": parse(&messages), "notes": []}),
            "{block}"
        );
        let answer = parse(&run(
            "codec encode --from converse | codec decode --to converse",
            &message.to_string(),
        ));
        assert_eq!(
            answer,
            json!({"messages": [message], "notes": []}),
            "{block}"
        );
    }
}

#[test]
fn each_layout_is_read_as_the_table_says() {
    let page = page("docs/wire-format.md");
    let rows: Vec<[String; 3]> = rows(&page, "layout");
    assert!(rows.len() > 5);
    for [layout, items, messages] in rows {
        let answer = parse(&run(
            "codec decode --strict",
            &json!({"payload": parse(&items)}).to_string(),
        ));
        assert_eq!(
            answer,
            json!({"messages": parse(&messages), "notes": []}),
            "{layout}"
        );
    }
}

#[test]
fn each_note_on_a_layout_is_given_as_the_table_says() {
    let page = page("docs/wire-format.md");
    let rows: Vec<[String; 4]> = rows(&page, "code of a layout");
    assert_eq!(rows.len(), 12, "one for each reason there is");
    for [code, strict, items, messages] in rows {
        let event = json!({"payload": parse(&items)}).to_string();
        let answer = parse(&run("codec decode", &event));
        assert_eq!(answer.get("messages"), Some(&parse(&messages)), "{code}");
        assert_eq!(answer.pointer("/notes/0/code"), Some(&json!(code)));
        let refused = parse(&run("codec decode --strict", &event));
        let expected = (strict == "refused").then(|| json!(code));
        assert_eq!(refused.pointer("/error/code"), expected.as_ref(), "{code}");
    }
}

#[test]
fn the_command_of_the_front_page_runs() {
    let page = page("README.md");
    let line = page
        .lines()
        .find(|line| line.starts_with("echo '"))
        .expect("a command to try");
    let (message, rest) = line
        .strip_prefix("echo '")
        .and_then(|l| l.split_once('\''))
        .expect("a message");
    let args = rest
        .split_once(" | cargo run -q -p codec -- ")
        .expect("a cargo command")
        .1;
    let answer: Value =
        serde_json::from_str(&run(&format!("codec {args}"), message)).expect("JSON");
    assert!(
        answer.get("payloads").is_some_and(Value::is_array),
        "{answer}"
    );
}
