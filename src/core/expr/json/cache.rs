//! JSON texts that were read before: one output of a job is read again for every leg, and for every part of a condition.

use std::cell::RefCell;
use std::sync::Arc;

use super::super::value::{Array, Value};

/// What the last few long texts were read as. A text is known by its identity, so that looking for it costs nothing.
#[derive(Debug, Default)]
pub struct JsonCache(RefCell<Vec<(Arc<str>, Value)>>);

/// Shorter texts are read as quickly as they are looked for.
const LONG: usize = 1024;
/// How many texts are remembered.
const TEXTS: usize = 8;

impl JsonCache {
    /// What `read` makes of the text, or made of it before. Every result of `fromJSON` is an array or object of its own,
    /// which equals no other: take a copy with [`fresh`] before one is handed on.
    pub(in super::super) fn read<E>(
        &self,
        text: &Arc<str>,
        read: impl FnOnce() -> Result<Value, E>,
    ) -> Result<Value, E> {
        if text.len() < LONG {
            return read();
        }
        if let Some((_, value)) = self.0.borrow().iter().find(|(known, _)| Arc::ptr_eq(known, text)) {
            return Ok(value.clone());
        }
        let value = read()?;
        let mut known = self.0.borrow_mut();
        if known.len() == TEXTS {
            known.remove(0);
        }
        known.push((Arc::clone(text), value.clone()));
        Ok(value)
    }
}

/// A copy that shares no array or object with the original.
pub(in super::super) fn fresh(value: &Value) -> Value {
    match value {
        Value::Array(array) => {
            let items = array.items().iter().map(fresh);
            Value::Array(if array.is_filtered() { Array::filtered(items) } else { Array::new(items) })
        }
        Value::Object(object) => Value::Object(object.map(fresh)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::super::{Allowed, Scope, evaluate, parse, to_json};
    use super::*;

    /// Knows one long text, and remembers what it was read as.
    struct World {
        text: Value,
        cache: Option<JsonCache>,
    }

    impl Scope for World {
        fn named_value(&self, _: &str) -> Option<Value> {
            Some(self.text.clone())
        }

        fn json_cache(&self) -> Option<&JsonCache> {
            self.cache.as_ref()
        }
    }

    #[test]
    fn nothing_tells_a_text_that_is_remembered_from_one_that_is_not() {
        let list = format!("{{\"list\": [{{\"a\": 1}}, [2]], \"text\": \"{}\"}}", "x".repeat(LONG));
        let world = |cache| World { text: Value::text(&*list), cache };
        let worlds = [world(None), world(Some(JsonCache::default()))];
        for (text, expected) in [
            ("fromJSON(x) == fromJSON(x)", "false"),
            ("fromJSON(x).list == fromJSON(x).list", "false"),
            ("fromJSON(x)['list'][1] == fromJSON(x).list[1]", "false"),
            ("contains(fromJSON(x).list, fromJSON(x).list[0])", "false"),
            ("contains(fromJSON(x).*, fromJSON(x).list)", "false"),
            ("fromJSON(x).list[0].A == fromJSON(x).list[0].a", "true"),
            ("fromJSON(x).text == fromJSON(x).TEXT", "true"),
            ("toJSON(fromJSON(x)) == toJSON(fromJSON(x)) && toJSON(fromJSON(x).list[1])", "\"[\\n  2\\n]\""),
            ("fromJSON(x).list", "[{\"a\":1},[2]]"),
            ("fromJSON(x).list.*.a", "[1]"),
            ("fromJSON(x).list.*.*", "[1,2]"),
            ("join(fromJSON(x).list[1])", "\"2\""),
        ] {
            for world in &worlds {
                let value = parse(text, &Allowed::ANYTHING).and_then(|expr| evaluate(&expr, world));
                assert_eq!(value.map(|value| to_json(&value, false)), Ok(expected.to_owned()), "{text}");
            }
        }
        assert_eq!(worlds[1].cache.as_ref().map(|cache| cache.0.borrow().len()), Some(1));
    }

    #[test]
    fn long_texts_are_read_once_until_others_replace_them() {
        let (cache, reads) = (JsonCache::default(), Cell::new(0));
        let read = |text: &Arc<str>| {
            let value = cache.read(text, || {
                reads.set(reads.get() + 1);
                Ok::<_, ()>(Value::from(1.0))
            });
            assert_eq!(value.map(|value| value.to_number()), Ok(Ok(1.0)));
            reads.get()
        };
        let texts: Vec<Arc<str>> = (0..=TEXTS).map(|_| "1".repeat(LONG).into()).collect();
        assert_eq!((read(&texts[0]), read(&texts[0])), (1, 1));
        assert_eq!(read(&texts[0].to_string().into()), 2, "the same text, but not the same one");
        let short: Arc<str> = "1".into();
        assert_eq!((read(&short), read(&short)), (3, 4));
        texts.iter().skip(1).for_each(|text| {
            read(text);
        });
        assert_eq!(read(&texts[0]), 4 + TEXTS + 1);
        assert!(cache.0.borrow().len() <= TEXTS);
        assert!(cache.read::<()>(&"x".repeat(LONG).into(), || Err(())).is_err());
    }
}
