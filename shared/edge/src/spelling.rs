//! Names as callers write them: camelCase or `snake_case`, and the likely meaning of a misspelt one.

/// The known name a key stands for, in either spelling.
pub(crate) fn known(names: &'static [&'static str], key: &str) -> Option<&'static str> {
    names
        .iter()
        .copied()
        .find(|name| *name == key || snake(name) == key)
}

/// The known name nearest to a key nobody knows, if one is near enough to be meant.
pub(crate) fn nearest(names: &'static [&'static str], key: &str) -> Option<&'static str> {
    // A key far longer than any name is no misspelling, and must not cost time.
    if key.len() > 64 {
        return None;
    }
    let key = folded(key);
    names
        .iter()
        .copied()
        .map(|name| (distance(&folded(name), &key), name))
        .filter(|(distance, name)| *distance <= name.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A camelCase name in `snake_case`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Case and separators are the commonest slips, so they do not count.
fn folded(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// The number of letters to change, add or drop (Levenshtein), one row at a time.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (to, above) in b.iter().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(from != to);
            left = changed.min(*above + 1).min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, known, nearest};

    const NAMES: &[&str] = &["actorId", "sessionId", "maxBytes", "head"];

    #[test]
    fn both_spellings_are_known() {
        assert_eq!(known(NAMES, "actorId"), Some("actorId"));
        assert_eq!(known(NAMES, "actor_id"), Some("actorId"));
        assert_eq!(known(NAMES, "actorid"), None);
        assert_eq!(known(NAMES, "Head"), None);
    }

    #[test]
    fn a_slip_is_told_from_another_word() {
        assert_eq!(nearest(NAMES, "sesionId"), Some("sessionId"));
        assert_eq!(nearest(NAMES, "SessionID"), Some("sessionId"));
        assert_eq!(nearest(NAMES, "max-bytes"), Some("maxBytes"));
        assert_eq!(nearest(NAMES, "temperature"), None);
        assert_eq!(nearest(NAMES, &"x".repeat(1_000_000)), None);
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
        assert_eq!(distance(&chars("abc"), &chars("abc")), 0);
    }
}
