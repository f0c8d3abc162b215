//! The functions' binaries: built as the tests are, or as they are deployed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The binary of a function. The first call builds them all; Cargo hands a test only the binaries of its
/// own package.
///
/// Cargo is asked for them together with a test, and thereby for the features the tests are built with. So it
/// finds the SDK clients compiled already, which would take minutes once more with the features of the
/// functions alone.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    static PROGRAMS: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    // Optimised tests want what is optimised as it will be when deployed.
    if !cfg!(debug_assertions) {
        return deployed(name);
    }
    let cargo = ["build", "--workspace", "--bins", "--test", "handler"];
    find(PROGRAMS.get_or_init(|| build(&cargo)), name)
}

/// The binary of a function as it is deployed. Building it takes minutes.
#[must_use]
pub fn deployed(name: &str) -> PathBuf {
    static PROGRAMS: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    find(
        PROGRAMS.get_or_init(|| {
            build(&[
                "build",
                "--profile",
                "deploy",
                "-p",
                "load",
                "-p",
                "store",
                "-p",
                "summarize",
                "--bins",
            ])
        }),
        name,
    )
}

fn find(programs: &HashMap<String, PathBuf>, name: &str) -> PathBuf {
    let found = programs.get(name);
    found
        .unwrap_or_else(|| panic!("{name} is no function"))
        .clone()
}

/// Runs Cargo and gives the binaries it tells of, those that are no tests, by name.
fn build(cargo: &[&str]) -> HashMap<String, PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(cargo)
        .args(["--locked", "--message-format=json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "the functions do not build");
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("cargo writes JSON"))
        .filter(|message| message["profile"]["test"] == false)
        .filter_map(|message| {
            let executable = message.get("executable")?.as_str()?;
            let name = message["target"]["name"].as_str()?;
            Some((name.to_owned(), PathBuf::from(executable)))
        })
        .collect()
}
