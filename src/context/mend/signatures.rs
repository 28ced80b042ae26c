//! Signatures of calls: where one step of the running turn carries one, the provider wants one of each.

use super::Bench;
use super::draft::Draft;
use crate::item::edit::{Change, Edit};
use crate::item::facts::{Author, Facts, Part, Place, Signature};
use crate::item::rule::Rule;

/// Gives the first call of each step of the running turn the value for a lost signature, where another step is signed.
/// Only models that sign want signatures: a turn without any is left as it is.
pub fn complete<P>(bench: &Bench<'_, P>, drafts: &mut [Draft]) {
    let mut missing: Vec<(usize, Edit)> = Vec::new();
    let mut is_signed = false;
    let mut is_step_open = false;
    for (index, draft) in drafts.iter().enumerate().filter(|(_, draft)| !draft.is_gone) {
        let facts = draft.source().and_then(|source| bench.facts.get(source));
        match facts.map(|facts| facts.author) {
            Some(Author::Model) => {}
            // What the library puts in by itself answers calls.
            Some(Author::Tool) | None => {
                is_step_open = false;
                continue;
            }
            Some(_) => {
                missing.clear();
                (is_signed, is_step_open) = (false, false);
                continue;
            }
        }
        if is_step_open {
            continue;
        }
        match facts.and_then(|facts| first_call(facts, draft)) {
            Some(Signature::Signed) => (is_signed, is_step_open) = (true, true),
            Some(Signature::Missing(edit)) => {
                missing.push((index, edit.clone()));
                is_step_open = true;
            }
            Some(Signature::Unsigned) => is_step_open = true,
            None => {}
        }
    }
    if !is_signed {
        return;
    }
    for (index, edit) in missing {
        if let Some(draft) = drafts.get_mut(index) {
            draft.edit(Rule::LostSignature, [edit]);
        }
    }
}

/// The signature of the first call that stays in the item.
fn first_call<'f>(facts: &'f Facts, draft: &Draft) -> Option<&'f Signature> {
    let stays = |place: &Place| match place {
        Place::Item => true,
        Place::At(path) => {
            let is_removal = |edit: &&Edit| matches!(edit.change, Change::Remove) && edit.path == *path;
            !draft.edits.iter().any(|edit| is_removal(&edit))
        }
    };
    facts.parts.iter().find_map(|part| match part {
        Part::Call(call) if stays(&call.place) => Some(&call.signature),
        _ => None,
    })
}
