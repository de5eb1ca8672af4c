//! Members of a JSON object, each with a sentence if it is missing or of another type.

use serde_json::{Map, Value};

use super::super::wire::decimal;
use super::Check;

/// An object of the metadata, with its name for sentences.
pub(super) struct Object<'a> {
    members: &'a Map<String, Value>,
    name: String,
}

impl<'a> Object<'a> {
    pub(super) fn of(value: &'a Value, name: String) -> Result<Self, String> {
        let members = value.as_object().ok_or_else(|| format!("{name} is not an object"))?;
        Ok(Object { members, name })
    }

    pub(super) fn object(&self, name: &str) -> Result<Object<'a>, String> {
        let value = self.members.get(name).ok_or_else(|| self.lacks(name))?;
        Object::of(value, name.to_owned()).map_err(|_| self.lacks(name))
    }

    pub(super) fn object_if_there(&self, name: &str) -> Result<Option<Object<'a>>, String> {
        self.members.contains_key(name).then(|| self.object(name)).transpose()
    }

    /// A text that is not empty.
    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        let text = self.members.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).ok_or_else(|| self.lacks(name))
    }

    /// A number of 64 bits, which stands as text.
    pub(super) fn number(&self, name: &str) -> Result<u64, String> {
        decimal::read(self.text(name)?)
            .ok_or_else(|| format!("{} has a {name} that is not a number", self.name))
    }

    /// A JSON number that is whole, whatever its size.
    pub(super) fn whole(&self, name: &str) -> Check {
        let number = self.members.get(name).and_then(Value::as_number);
        let whole = number.is_some_and(|number| number.is_u64() || number.is_i64());
        if whole { Ok(()) } else { Err(self.lacks(name)) }
    }

    /// A JSON number of 32 bits.
    pub(super) fn whole_32(&self, name: &str) -> Result<u32, String> {
        self.whole(name)?;
        let number = self.members.get(name).and_then(Value::as_u64).and_then(|it| u32::try_from(it).ok());
        number.ok_or_else(|| format!("{} has a {name} outside 32 bits", self.name))
    }

    /// The members of an array of texts; none if it is not there.
    pub(super) fn texts_if_there(&self, name: &str) -> Result<Vec<&'a str>, String> {
        if self.members.contains_key(name) { self.texts(name) } else { Ok(Vec::new()) }
    }

    /// The members of an array of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<&'a str>, String> {
        let array = self.members.get(name).and_then(Value::as_array).ok_or_else(|| self.lacks(name))?;
        let texts = array.iter().map(Value::as_str).collect::<Option<Vec<&str>>>();
        texts.ok_or_else(|| format!("{} has an element in {name} that is not a string", self.name))
    }

    /// An array of names of objects that are there.
    pub(super) fn references(&self, name: &str, objects: &Object<'_>) -> Check {
        for reference in self.texts(name)? {
            if !objects.members.get(reference).is_some_and(Value::is_object) {
                return Err(format!("{} refers to '{reference}' in {name}, which does not exist", self.name));
            }
        }
        Ok(())
    }

    /// Whether this member is the same in another object, or is in neither.
    pub(super) fn agrees_in(&self, name: &str, other: &Object<'_>) -> bool {
        self.members.get(name) == other.members.get(name)
    }

    /// How many of the objects in it name this one in an array.
    pub(super) fn naming(&self, array: &str, name: &str) -> usize {
        let names = |value: &&Value| {
            let array = value.get(array).and_then(Value::as_array);
            array.is_some_and(|array| array.iter().any(|it| it.as_str() == Some(name)))
        };
        self.members.values().filter(names).count()
    }

    /// The objects in it, which have numbers as names, in no order.
    pub(super) fn numbered(&self, what: &str) -> Result<Vec<Object<'a>>, String> {
        // A second way to write a number would let one object hide another.
        self.called(what, |name| name.parse::<u32>().is_ok_and(|parsed| parsed.to_string() == name))
    }

    /// The objects in it, whose names are made of digits, in no order. Where nobody here asks for one by its number, a
    /// number may be written in two ways.
    pub(super) fn called_by_digits(&self, what: &str) -> Result<Vec<Object<'a>>, String> {
        self.called(what, |name| name.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn called(&self, what: &str, is_number: impl Fn(&str) -> bool) -> Result<Vec<Object<'a>>, String> {
        let member = |(name, value): (&String, &'a Value)| match is_number(name) {
            true => Object::of(value, format!("{what} {name}")),
            false => Err(format!("the name of {what} '{name}' is not a number")),
        };
        self.members.iter().map(member).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// As it is called in sentences.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn number_of_name(&self) -> &str {
        self.name.rsplit(' ').next().unwrap_or_default()
    }

    fn lacks(&self, name: &str) -> String {
        format!("{} has no {name}, or one of the wrong type", self.name)
    }
}
