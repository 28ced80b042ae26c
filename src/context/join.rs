//! `strictRoles` (SEMANTICS §3): leading system items as one, and neighbours of one role outside the tool flow as one.

use super::assemble::Sent;
use super::fold::Fold;
use super::options::{ProjectOptions, SummaryRole};
use super::plan::Entry;
use crate::item::dialect::{Dialect, joined_content, read};
use crate::item::edit::{Edit, apply};
use crate::item::facts::{Author, Part};
use crate::item::json::parse;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use serde_json::Value;

/// The items that are sent, neighbours joined, and the source indexes of those that took part in a join.
///
/// # Errors
/// What the host's objects throw.
pub fn join<P: Payloads>(
    fold: &Fold<'_, P>,
    options: &ProjectOptions,
    sent: Vec<Sent>,
) -> Result<(Vec<Sent>, Vec<usize>), P::Error> {
    let takes_roles = fold
        .history
        .dialect()
        .is_none_or(|dialect| dialect == Dialect::OpenAiChat);
    if !options.strict_roles || !takes_roles {
        return Ok((sent, Vec::new()));
    }
    let mut joined = Vec::with_capacity(sent.len());
    let mut sources = Vec::new();
    let mut group: Vec<Sent> = Vec::new();
    let mut role = None;
    let mut is_leading = true;
    for next in sent {
        let own = role_of(fold, options, &next.entry, is_leading);
        is_leading &= own == Some(Author::System);
        if own.is_none() || own != role {
            close(fold, &mut group, &mut joined, &mut sources)?;
        }
        role = own;
        group.push(next);
    }
    close(fold, &mut group, &mut joined, &mut sources)?;
    Ok((joined, sources))
}

/// The role in which an item may be joined with its neighbour.
fn role_of<P: Payloads>(
    fold: &Fold<'_, P>,
    options: &ProjectOptions,
    entry: &Entry,
    is_leading: bool,
) -> Option<Author> {
    let item = match entry {
        Entry::New(_) if options.summary_role == SummaryRole::System => return is_leading.then_some(Author::System),
        Entry::New(_) => return Some(Author::User),
        Entry::Source(item) | Entry::Edited(item, _) => *item,
    };
    let facts = fold.history.facts(item)?;
    let calls = facts.parts.iter().any(|part| matches!(part, Part::Call(_)));
    match facts.author {
        Author::System => is_leading.then_some(Author::System),
        Author::User | Author::Summary => Some(Author::User),
        Author::Model if !calls => Some(Author::Model),
        _ => None,
    }
}

fn close<P: Payloads>(
    fold: &Fold<'_, P>,
    group: &mut Vec<Sent>,
    joined: &mut Vec<Sent>,
    sources: &mut Vec<usize>,
) -> Result<(), P::Error> {
    if group.len() < 2 {
        joined.append(group);
        return Ok(());
    }
    let mut values = Vec::with_capacity(group.len());
    for sent in group.iter() {
        values.push(value_of(fold, &sent.entry)?);
    }
    let (path, content) = joined_content(&values);
    let edit = Edit::set(path, content);
    let first = values.first().cloned().unwrap_or_default();
    let whole = apply(&first, std::slice::from_ref(&edit));
    let members = group.drain(..).map(|sent| sent.entry);
    let mut entries: Vec<Entry> = members.collect();
    sources.extend(entries.iter().filter_map(|entry| match entry {
        Entry::Source(item) | Entry::Edited(item, _) => Some(*item),
        Entry::New(_) => None,
    }));
    let entry = match entries.swap_remove(0) {
        Entry::Source(item) => Entry::Edited(item, vec![edit]),
        Entry::Edited(item, mut edits) => {
            // Edits inside the content are in the joined content already.
            edits.retain(|made| !made.path.is_within(&edit.path));
            edits.push(edit);
            Entry::Edited(item, edits)
        }
        Entry::New(_) => Entry::New(whole.clone()),
    };
    joined.push(Sent {
        chars: read(&Sketch::of(&whole), fold.history.dialect()).chars,
        entry,
    });
    Ok(())
}

fn value_of<P: Payloads>(fold: &Fold<'_, P>, entry: &Entry) -> Result<Value, P::Error> {
    let json = match entry {
        Entry::New(item) => return Ok(item.clone()),
        Entry::Source(item) => fold.scene().payloads.json(*item, &[])?,
        Entry::Edited(item, edits) => fold.scene().payloads.json(*item, edits)?,
    };
    Ok(parse(&json).unwrap_or_default())
}
