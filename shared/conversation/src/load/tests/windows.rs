//! Windows.

use super::{texts, window};
use crate::testing::{World, user};
use crate::window::Window;

#[test]
fn a_window_never_parts_a_result_from_its_call() {
    use crate::testing::{call, result};
    let world = World::new();
    world.say(&[user("a"), call("c")]);
    world.say(&[result("c")]);
    world.say(&[crate::testing::assistant("b")]);
    let two = world.load(window(&world, Window::Messages(2))).unwrap();
    assert_eq!(texts(&two.messages), ["b"]);
    assert_eq!(two.report.evicted, 3);
    let one = world.load(window(&world, Window::Turns(1))).unwrap();
    assert_eq!(one.messages.len(), 4);
}

#[test]
fn an_empty_conversation_is_empty() {
    let world = World::new();
    let loaded = world.all();
    assert_eq!(loaded.messages, []);
    assert_eq!(loaded.context, world.answer_context(0));
    assert!(loaded.head.is_some());
}
