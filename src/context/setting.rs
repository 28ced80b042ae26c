//! Values of budgets and options as they come in, from JSON or from JavaScript, before they are known to be good.

use crate::error::{Error, ErrorCode};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// One value of a settings object.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// Not given, or null.
    Absent,
    /// `true` or `false`.
    Flag(bool),
    /// A number, NaN included.
    Number(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Setting>),
    /// An object, keys in their order.
    Object(Vec<(String, Setting)>),
    /// A function of the host.
    Function,
    /// Anything else.
    Other,
}

impl From<&Value> for Setting {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(number) => number.as_f64().map_or(Self::Other, Self::Number),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(object) => {
                Self::Object(object.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
        }
    }
}

impl Setting {
    /// What it is, for a sentence.
    fn describe(&self) -> String {
        match self {
            Self::Absent => "nothing".to_owned(),
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => ryu_js::Buffer::new().format(*number).to_owned(),
            Self::Text(text) => format!("\"{}\"", text.chars().take(40).collect::<String>()),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
            Self::Function => "a function".to_owned(),
            Self::Other => "something else".to_owned(),
        }
    }
}

/// A settings object: its name in messages, the code of its errors, its values by key.
pub struct Settings<'a> {
    /// `budget` or `options`.
    pub name: &'a str,
    /// The code of errors in it.
    pub code: ErrorCode,
    /// Its keys and values.
    pub values: &'a [(String, Setting)],
}

impl Settings<'_> {
    fn get(&self, key: &str) -> &Setting {
        self.values
            .iter()
            .find(|(name, _)| name == key)
            .map_or(&Setting::Absent, |(_, value)| value)
    }

    /// An error at a key.
    pub fn error(&self, key: &str, wanted: &str) -> Error {
        let found = self.get(key).describe();
        Error::new(
            self.code,
            format!("{}.{key}", self.name),
            format!("must be {wanted}, not {found}"),
        )
    }

    /// A whole number from `least` up.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn whole(&self, key: &str, least: u64) -> Result<Option<u64>, Error> {
        match self.get(key) {
            Setting::Absent => Ok(None),
            // Above 2^53 a double no longer counts by one.
            Setting::Number(number)
                if number.fract() == 0.0 && *number >= least as f64 && *number <= 9_007_199_254_740_992.0 =>
            {
                Ok(Some(*number as u64))
            }
            _ => Err(self.error(key, &format!("a whole number of at least {least}"))),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, Error> {
        match self.get(key) {
            Setting::Absent => Ok(None),
            Setting::Flag(flag) => Ok(Some(*flag)),
            _ => Err(self.error(key, "true or false")),
        }
    }

    /// A number that `accepts` takes.
    ///
    /// # Errors
    /// Where it is anything else; `wanted` says what it should be.
    pub fn number(&self, key: &str, wanted: &str, accepts: impl Fn(f64) -> bool) -> Result<Option<f64>, Error> {
        match self.get(key) {
            Setting::Absent => Ok(None),
            Setting::Number(number) if accepts(*number) => Ok(Some(*number)),
            _ => Err(self.error(key, wanted)),
        }
    }

    /// A string.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn text(&self, key: &str) -> Result<Option<&str>, Error> {
        match self.get(key) {
            Setting::Absent => Ok(None),
            Setting::Text(text) => Ok(Some(text)),
            _ => Err(self.error(key, "a string")),
        }
    }

    /// One of a few strings.
    ///
    /// # Errors
    /// Where it is anything else; the message lists them.
    pub fn choice<T>(&self, key: &str, choices: &[(&str, T)]) -> Result<Option<T>, Error>
    where
        T: Copy,
    {
        let chosen = match self.get(key) {
            Setting::Absent => return Ok(None),
            Setting::Text(text) => choices.iter().find(|(name, _)| name == text),
            _ => None,
        };
        chosen.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.error(key, &format!("one of {}", names.join(", ")))
        })
    }

    /// A list of strings.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Error> {
        let Setting::List(list) = self.get(key) else {
            return match self.get(key) {
                Setting::Absent => Ok(None),
                _ => Err(self.error(key, "a list of strings")),
            };
        };
        let texts: Option<Vec<String>> = list
            .iter()
            .map(|entry| match entry {
                Setting::Text(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        texts.map(Some).ok_or_else(|| self.error(key, "a list of strings"))
    }

    /// The object at a key.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn object(&self, key: &str) -> Result<Option<&[(String, Setting)]>, Error> {
        match self.get(key) {
            Setting::Absent => Ok(None),
            Setting::Object(values) => Ok(Some(values)),
            _ => Err(self.error(key, "an object")),
        }
    }

    /// A function of the host.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn function(&self, key: &str) -> Result<bool, Error> {
        match self.get(key) {
            Setting::Absent => Ok(false),
            Setting::Function => Ok(true),
            _ => Err(self.error(key, "a function")),
        }
    }

    /// Refuses keys that mean nothing, so that a misspelt limit is no silent absence of a limit.
    ///
    /// # Errors
    /// At the first key that is not in `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), Error> {
        match self.values.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!("is no field of {}; there are {}", self.name, known.join(", "));
                Err(Error::new(self.code, format!("{}.{key}", self.name), message))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SettingVisitor)
    }
}

struct SettingVisitor;

impl<'de> Visitor<'de> for SettingVisitor {
    type Value = Setting;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Setting, E> {
        Ok(Setting::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Setting, E> {
        Ok(Setting::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Setting, E> {
        Ok(Setting::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Setting, E> {
        Ok(Setting::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Setting, E> {
        Ok(Setting::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Setting, E> {
        Ok(Setting::Absent)
    }

    fn visit_none<E>(self) -> Result<Setting, E> {
        Ok(Setting::Absent)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Setting, E> {
        Ok(Setting::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Setting, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Setting::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Setting, A::Error> {
        let mut values = Vec::new();
        while let Some(key) = map.next_key::<Setting>()? {
            match key {
                Setting::Text(key) => values.push((key, map.next_value()?)),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Setting::Object(values))
    }
}
