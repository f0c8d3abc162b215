//! The exact calls of a load.

use super::{calls, long, sliding, window};
use crate::testing::{Call, text, user};

#[test]
fn a_window_on_the_first_page_is_one_round_trip() {
    let world = long(60);
    let (loaded, made, ticks) = world.observe(|| world.all());
    assert_eq!(made, calls(&[(Call::Page, 1), (Call::Items, 1)]));
    assert_eq!(ticks, 1);
    assert_eq!(loaded.messages.len(), 60);
}

#[test]
fn a_small_window_of_a_long_conversation_is_one_round_trip() {
    let world = long(10_000);
    // Short turns at the end, as conversations have them.
    for turn in 0..20 {
        world.say(&[user(&format!("q{turn}")), crate::testing::assistant("a")]);
    }
    let request = window(&world, &[sliding(40)]);
    let (loaded, made, ticks) = world.observe(|| world.load(request).unwrap());
    assert_eq!(made, calls(&[(Call::Page, 1), (Call::Items, 1)]));
    assert_eq!(ticks, 1);
    assert_eq!(loaded.messages.len(), 40);
    assert_eq!(loaded.report.stored, 10_040);
    assert_eq!(loaded.report.evicted, 10_000);
    assert_eq!(loaded.report.uncommitted, 0);

    let (loaded, made, ticks) = world.observe(|| world.all());
    assert_eq!(made, calls(&[(Call::Page, 101), (Call::Items, 1)]));
    assert_eq!(ticks, 101);
    assert_eq!(loaded.messages.len(), 10_040);
    assert_eq!(text(&loaded.messages[9_999]), "9999");
}
