//! From watermarks to the items that are sent: leading system items, pinned prefix, summary, anchor, tail.

use super::fold::Cut;
use super::plan::Entry;
use super::version::{Scene, Version, frame_chars, leading_segments};
use crate::item::edit::Edit;
use crate::item::measure::chars;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use serde_json::Value;

/// One item of a projection with its size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// What is sent.
    pub entry: Entry,
    /// Its characters.
    pub chars: u64,
}

/// What a unit came to.
pub struct Seen<'v> {
    /// Index of the unit.
    pub unit: usize,
    /// Its atom.
    pub atom: usize,
    /// What the model gets of it.
    pub version: &'v Version,
}

/// The items that are sent at a cut; `see` is told of each unit that the projection reaches.
pub fn assemble<P: Payloads>(
    scene: &Scene<'_, P>,
    cut: &Cut,
    summary: Option<&Value>,
    mut see: impl FnMut(Seen<'_>),
) -> Vec<Sent> {
    let mut sent: Vec<Sent> = Vec::new();
    let mut open: Option<Open> = None;
    let mut place = |atom: usize, sent: &mut Vec<Sent>, open: &mut Option<Open>| {
        let units = scene
            .history
            .atoms()
            .get(atom)
            .map(|atom| atom.units.as_slice())
            .unwrap_or_default();
        for unit in units.iter().copied().take_while(|unit| *unit < cut.units) {
            let version = scene.version(unit, &cut.marks);
            see(Seen {
                unit,
                atom,
                version: &version,
            });
            add(scene, unit, version, sent, open);
        }
    };
    let front = if summary.is_some() {
        before_open(scene, cut.head)
    } else {
        cut.head
    };
    for atom in 0..front {
        place(atom, &mut sent, &mut open);
    }
    close(&mut open, &mut sent);
    if let Some(summary) = summary {
        sent.push(Sent {
            chars: chars(&Sketch::of(summary)),
            entry: Entry::New(summary.clone()),
        });
    }
    for atom in front..cut.head {
        place(atom, &mut sent, &mut open);
    }
    let tail = cut.marks.tail.max(cut.head);
    let mut anchors: Vec<usize> = [cut.compaction, cut.marks.anchor].into_iter().flatten().collect();
    anchors.retain(|anchor| (cut.head..tail).contains(anchor));
    anchors.sort_unstable();
    anchors.dedup();
    for atom in anchors.into_iter().chain(tail..scene.history.atoms().len()) {
        place(atom, &mut sent, &mut open);
    }
    close(&mut open, &mut sent);
    sent
}

/// Where a summary stands in a head of so many atoms: at its end, but in front of a call in flight, which it would part
/// from its result, and of the whole item that holds it.
fn before_open<P: Payloads>(scene: &Scene<'_, P>, head: usize) -> usize {
    let atoms = scene.history.atoms();
    let open = atoms.iter().take(head).position(|atom| atom.unanswered > 0);
    let Some(mut front) = open else { return head };
    let is_inside = |atom: usize| {
        let first = atoms.get(atom).and_then(|atom| atom.units.first());
        first
            .and_then(|unit| scene.history.units().get(*unit))
            .is_some_and(|unit| unit.segment > 0)
    };
    while front > 0 && is_inside(front) {
        front -= 1;
    }
    front
}

/// An item whose segments are being collected.
struct Open {
    item: usize,
    edits: Vec<Edit>,
    chars: u64,
}

fn add<P: Payloads>(
    scene: &Scene<'_, P>,
    index: usize,
    version: Version,
    sent: &mut Vec<Sent>,
    open: &mut Option<Open>,
) {
    let (Some(unit), Some((facts, segment))) = (scene.history.units().get(index), scene.history.unit_facts(index))
    else {
        return;
    };
    if version.is_removed {
        return;
    }
    let is_whole = facts.segments.len() == 1;
    let own = if is_whole { facts.chars } else { segment.chars };
    if open.as_ref().is_none_or(|open| open.item != unit.item) {
        close(open, sent);
        *open = Some(Open {
            item: unit.item,
            edits: leading_segments(facts, unit.segment),
            chars: if is_whole { 0 } else { frame_chars(facts) },
        });
    }
    if let Some(open) = open {
        open.edits.extend(version.edits);
        open.chars = (open.chars + own).saturating_add_signed(-version.saves);
    }
}

fn close(open: &mut Option<Open>, sent: &mut Vec<Sent>) {
    if let Some(open) = open.take() {
        let entry = if open.edits.is_empty() {
            Entry::Source(open.item)
        } else {
            Entry::Edited(open.item, open.edits)
        };
        sent.push(Sent {
            entry,
            chars: open.chars,
        });
    }
}
