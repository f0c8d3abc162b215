//! A place in a JSON value, written out as a JSON pointer only when something has to be said about it.

/// The way from the root of a value to one of its parts. Building one costs nothing, so readers can carry it
/// along for every part and render it for the one that is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    /// The value itself.
    Root,
    /// A member of an object.
    Key(&'a Path<'a>, &'a str),
    /// An element of an array.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Path::Key(self, key)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Path::Index(self, index)
    }

    /// The path as an RFC 6901 pointer.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Path::Root => {}
            Path::Key(parent, key) => {
                parent.write(pointer);
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Path::Index(parent, index) => {
                parent.write(pointer);
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn pointers_escape_their_own_signs() {
        let root = Path::Root;
        let list = root.key("a/b~c");
        assert_eq!(list.index(3).pointer(), "/a~1b~0c/3");
        assert_eq!(root.pointer(), "");
    }
}
