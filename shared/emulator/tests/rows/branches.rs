//! Row 8: branches and their ancestors.

use serde_json::{Value, json};

use crate::support::{event, ids, start};

#[test]
fn row_08_a_branch_lists_its_ancestors_up_to_each_root() {
    let server = start();
    let on = |offset: i64, name: &str, root: Option<&String>| {
        let branch = root.map_or_else(
            || json!({"name": name}),
            |root| json!({"name": name, "rootEventId": root}),
        );
        server.write(offset, &json!({"branch": branch}))
    };
    let m1 = server.write(-100, &json!({}));
    let m2 = server.write(-90, &json!({}));
    let m3 = server.write(-80, &json!({}));
    let b1 = on(-70, "b", Some(&m2));
    let b2 = on(-60, "b", None);
    let b3 = on(-50, "b", Some(&m2));
    let c1 = on(-40, "c", Some(&b2));
    let list = |branch: Value| ids(&server.list(&json!({"filter": {"branch": branch}})));
    let c_line = [&c1, &b2, &b1, &m2, &m1].map(Clone::clone);
    assert_eq!(
        list(json!({"name": "c"})),
        c_line,
        "parents are included by default"
    );
    assert_eq!(
        list(json!({"name": "c", "includeParentBranches": true})),
        c_line
    );
    assert_eq!(
        list(json!({"name": "c", "includeParentBranches": false})),
        std::slice::from_ref(&c1)
    );
    assert_eq!(
        list(json!({"name": "b"})),
        [&b3, &b2, &b1, &m2, &m1].map(Clone::clone)
    );
    assert_eq!(
        list(json!({"name": "main"})),
        [&m3, &m2, &m1].map(Clone::clone)
    );
    assert_eq!(list(json!({"name": "unknown"})), [""; 0]);
    assert_eq!(
        ids(&server.list(&json!({}))).len(),
        7,
        "no filter lists all branches"
    );
}

#[test]
fn row_08_roots_must_be_events_of_the_session() {
    let server = start();
    let root = server.write(0, &json!({}));
    let other = server.write(0, &json!({"sessionId": "other"}));
    let refuse = |branch: Value| {
        let mut body = event(1);
        body["branch"] = branch;
        let answer = server.create(&body);
        (
            answer.status,
            answer
                .json()
                .get("reason")
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned(),
        )
    };
    assert_eq!(
        refuse(json!({"name": "b"})),
        (400, "FieldValidationFailed".to_owned())
    );
    assert_eq!(
        refuse(json!({"name": "b", "rootEventId": other})),
        (400, "EventInOtherSession".to_owned())
    );
    assert_eq!(
        refuse(json!({"name": "b", "rootEventId": "0000000000000000001#00000001"})).0,
        404
    );
    assert_eq!(refuse(json!({"name": "main", "rootEventId": root})).0, 400);
    server.write(1, &json!({"branch": {"name": "b", "rootEventId": root}}));
    let second = server.write(2, &json!({}));
    assert_eq!(
        refuse(json!({"name": "b", "rootEventId": second})),
        (400, "ResourceConflict".to_owned())
    );
}
