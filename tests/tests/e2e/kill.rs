//! `kill -9` of a writing process at random moments.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use conversation::ports::Entropy as _;
use conversation::{LoadRequest, Settings, load};
use emulator::{Options, Switches};
use system::SystemEntropy;
use tests::World;
use tests::messages::whole_turns;

/// How often a writer is killed.
const KILLS: u64 = 200;
/// After so many a new conversation begins, so that the check of a whole one stays quick.
const KILLS_EACH: u64 = 10;
const SEED: u64 = 0x00c0_110c;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_writer_acknowledged_is_there_and_nothing_is_there_in_part() {
    // Writers live for some milliseconds and have to get through several turns in them, so no write of a turn waits
    // for another one here. What a conflict does to a turn is the business of the other suites.
    let world = World::with(Options {
        switches: Switches {
            conflict_hold_ms: None,
            ..Switches::default()
        },
        ..Options::default()
    })
    .await;
    let entropy = SystemEntropy::seeded(SEED);
    let mut known: Vec<String> = Vec::new();
    let (mut acknowledged, mut unfinished) = (0, 0);
    for kill in 0..KILLS {
        let session = format!("kill-{}", kill / KILLS_EACH);
        if kill % KILLS_EACH == 0 {
            known.clear();
        }
        let lifetime = Duration::from_micros(10_000 + entropy.next_u64() % 60_000);
        let tokens = entropy.next_u64().is_multiple_of(2);
        let said = writer(&world, &session, &format!("w{kill}"), tokens, lifetime).await;

        // A reader that shares nothing with the writer.
        let request = LoadRequest::all(world.conversation(&session), Duration::from_secs(10));
        let loaded = load(&world.ports(), &Settings::default(), request).await;
        let loaded = loaded.unwrap_or_else(|error| panic!("seed {SEED:#x}, kill {kill}: {error}"));
        let found = whole_turns(&loaded.messages);
        assert_eq!(
            loaded.context.stored_message_count,
            loaded.messages.len() as u64
        );
        assert_eq!(loaded.report.mismatches, 0);

        // What was there stays, what was acknowledged follows in its order, and the turn that was
        // under way is there or not.
        known.extend(said.done);
        match said.begun {
            Some(last) if found.last() == Some(&last) => known.push(last),
            Some(_) => unfinished += 1,
            None => {}
        }
        assert_eq!(found, known, "seed {SEED:#x}, kill {kill}");
        acknowledged = acknowledged.max(known.len());
    }
    // The kills did fall into the middle of the work.
    assert!(
        acknowledged > 3,
        "writers lived for {acknowledged} turns at most"
    );
    assert!(unfinished > 10, "only {unfinished} turns were cut off");
}

/// What a writer said before it was killed.
struct Said {
    /// Acknowledged turns, in order.
    done: Vec<String>,
    /// The turn it was at.
    begun: Option<String>,
}

async fn writer(world: &World, session: &str, name: &str, tokens: bool, life: Duration) -> Said {
    let mut process = Command::new(env!("CARGO_BIN_EXE_writer"))
        .args([&world.events.url(), &world.context.url(), session, name])
        .arg(if tokens { "tokens" } else { "none" })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the writer starts");
    // Its life is counted from its first turn: how long a process takes to start says nothing about the turns.
    let mut output = BufReader::new(process.stdout.take().expect("piped"));
    let (first, mut output) = tokio::task::spawn_blocking(move || {
        let mut first = String::new();
        output.read_line(&mut first).expect("text");
        (first, output)
    })
    .await
    .expect("read");
    tokio::time::sleep(life).await;
    // On Unix this is SIGKILL: no destructor runs, no connection is closed in order.
    process.kill().expect("it ran until now");
    process.wait().expect("it is gone");
    let mut text = first;
    output.read_to_string(&mut text).expect("text");
    // Requests that were sent are still being worked on; the reader must be able to rely on what it
    // sees, so it waits for them.
    tokio::time::sleep(Duration::from_millis(5)).await;
    let mut said = Said {
        done: Vec::new(),
        begun: None,
    };
    // A last line without its end was never said.
    for line in text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
    {
        match line.split_once(' ') {
            Some(("begin", turn)) => said.begun = Some(turn.to_owned()),
            Some(("done", turn)) => {
                said.done.push(turn.to_owned());
                said.begun = None;
            }
            _ => panic!("the writer said {line:?}"),
        }
    }
    said
}
