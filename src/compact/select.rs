//! What a compaction keeps and what it summarises (SEMANTICS §4, "Cut").

use super::options::LlmCompactOptions;
use crate::context::{ContextBudget, Cut, Exceeded, Fold, ProjectOptions, Size};
use crate::history::History;
use crate::item::dialect::summary_item;
use crate::item::facts::{Author, Facts};
use crate::item::measure::chars;
use crate::item::payload::Payloads;
use crate::item::sketch::Sketch;
use crate::item::text::thousands;
use std::rc::Rc;

/// Room that a summary will need beside what is kept, where a limit fired: below this a compaction would call for the
/// next one.
const SUMMARY_ALLOWANCE: Size = Size {
    items: 0,
    chars: 300,
    tokens: 100,
};
/// A compaction on the policy's own motion must be able to take this share of the limit away, in hundredths.
const LEAST_GAIN: f64 = 0.1;

/// Which atoms stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// For each atom, whether it stays.
    pub kept: Vec<bool>,
    /// Atoms before this one are the head: leading system items and the pinned prefix.
    pub head: usize,
    /// Atoms of leading system items.
    pub leading: usize,
    /// The user message of the turn in which the cut lies.
    pub opener: Option<usize>,
    /// The provider's own compaction.
    pub compaction: Option<usize>,
    /// The limits that fired.
    pub fired: Exceeded,
}

/// What a compaction could do.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Nothing is there to summarise.
    Nothing,
    /// What must stay is over the limit alone; by what, in words.
    Irreducible(String),
    /// These atoms go.
    Cut {
        /// Which stay.
        selection: Selection,
        /// It takes enough away to be worth a model call.
        is_worthwhile: bool,
    },
}

/// The measured tokens of the history and of what is not history, where somebody knows them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Tokens of the history as it stands.
    pub tokens: Option<f64>,
    /// Tokens of what is not history.
    pub overhead_tokens: u64,
}

/// A history with the sizes of its atoms.
pub struct Survey<'a, P> {
    fold: Fold<'a, P>,
    summary: Size,
}

/// Settings of a fold that keeps everything.
pub struct Whole {
    budget: ContextBudget,
    options: ProjectOptions,
}

impl Whole {
    /// For these options.
    #[must_use]
    pub fn of(options: &LlmCompactOptions) -> Self {
        let counts = options.max_tokens.is_some() || options.keep_recent_tokens.is_some();
        Self {
            budget: ContextBudget {
                pinned_prefix_items: options.pinned_prefix_items,
                // A limit that nothing meets: tokens are counted, and nothing falls.
                max_tokens: counts.then_some(u64::MAX),
                ..ContextBudget::default()
            },
            options: ProjectOptions {
                dialect: options.dialect,
                counts_tokens: options.counts_tokens,
                is_stateless: options.is_stateless,
                ..ProjectOptions::default()
            },
        }
    }

    /// Surveys a history with its summary.
    ///
    /// # Errors
    /// Those of the host's token counter.
    pub fn survey<'a, P: Payloads>(
        &'a self,
        facts: &[Rc<Facts>],
        payloads: &'a P,
        summary: Option<&str>,
        count_text: impl Fn(&str) -> Result<u64, P::Error>,
    ) -> Result<Survey<'a, P>, P::Error> {
        let mut fold = Fold::new(&self.budget, &self.options, payloads, Size::default());
        for facts in facts {
            fold.push(facts.clone())?;
        }
        let summary = match summary.filter(|summary| !summary.is_empty()) {
            None => Size::default(),
            Some(text) => Size {
                // Limits of items count what is in memory; the summary is beside it.
                items: 0,
                chars: summary_chars(&fold.history, text),
                tokens: if self.budget.max_tokens.is_some() {
                    count_text(text)?
                } else {
                    0
                },
            },
        };
        Ok(Survey { fold, summary })
    }
}

/// Characters of a summary as the item that it becomes.
#[must_use]
pub fn summary_chars(history: &History, text: &str) -> u64 {
    chars(&Sketch::of(&summary_item(history.dialect(), text, false)))
}

impl<P: Payloads> Survey<'_, P> {
    /// Characters of an atom.
    pub fn atom_chars(&self, atom: usize) -> u64 {
        self.fold.atom_size(atom).chars
    }

    /// The history.
    pub fn history(&self) -> &History {
        &self.fold.history
    }

    /// Everything, the summary included.
    pub fn total(&self) -> Size {
        self.fold.total() + self.summary
    }

    /// What a compaction under these options could do.
    pub fn decide(&self, options: &LlmCompactOptions, measured: Measured) -> Decision {
        let total = self.total();
        let ratio = match measured.tokens {
            Some(tokens) if total.tokens > 0 => tokens / total.tokens as f64,
            _ => 1.0,
        };
        let overhead = options.overhead_tokens.max(measured.overhead_tokens);
        let limits = Bounds {
            most: [
                options.max_items.map(|limit| limit as f64),
                options.max_approx_chars.map(|limit| limit as f64),
                options.max_tokens.map(|limit| limit as f64 - overhead as f64),
            ],
            ratio,
        };
        let fired = limits.exceeded(total);
        let cuts = self.cuts(options);
        let Some(last) = cuts.last() else {
            return Decision::Nothing;
        };
        let floor = self.kept_size(last);
        if let Some(words) = limits.over_floor(fired, floor, self) {
            return Decision::Irreducible(words);
        }
        let Some(chosen) = self.choose(&cuts, options, &limits, fired) else {
            return Decision::Nothing;
        };
        let selection = self.selection(chosen, fired);
        let gone = total - self.summary - self.kept_size(chosen);
        if selection.kept.iter().all(|kept| *kept) {
            return Decision::Nothing;
        }
        let gain = limits.share(gone, fired);
        Decision::Cut {
            selection,
            is_worthwhile: fired.any() && gain >= LEAST_GAIN,
        }
    }

    /// The cuts that are possible, the earliest first.
    fn cuts(&self, options: &LlmCompactOptions) -> Vec<Candidate> {
        let history = &self.fold.history;
        let atoms = history.atoms().len();
        let head = self.fold.cut().head;
        let last = self.last_cut(options).max(head.min(atoms));
        let mut cuts = Vec::new();
        let mut kept = Size::default();
        let mut sizes = vec![Size::default(); atoms + 1];
        for atom in (head..atoms).rev() {
            kept += self.fold.atom_size(atom);
            if let Some(slot) = sizes.get_mut(atom) {
                *slot = kept;
            }
        }
        for tail in head..=last {
            if tail < atoms && tail > head && !history.can_cut_before(tail) {
                continue;
            }
            let kept = sizes.get(tail).copied().unwrap_or_default() + self.fold.partial(tail);
            let opener = history.atoms().get(tail).and_then(|atom| atom.opener);
            cuts.push(Candidate {
                tail,
                kept,
                opener: opener.filter(|opener| *opener < tail && *opener >= head),
            });
        }
        cuts
    }

    /// How far a cut may go: calls in flight stay, and the newest atom does, unless the host wants nothing kept and the
    /// model has had its say.
    fn last_cut(&self, options: &LlmCompactOptions) -> usize {
        let history = &self.fold.history;
        let newest = history.newest();
        let in_flight = history.in_flight().map(|call| call.atom).min();
        let wants_none = options.keep_recent_items == Some(0) || options.keep_recent_tokens == Some(0);
        let last_unit = history.units().len().checked_sub(1);
        let has_spoken = last_unit
            .and_then(|unit| history.unit_facts(unit))
            .is_some_and(|(facts, _)| facts.author == Author::Model);
        let last = if wants_none && has_spoken {
            history.atoms().len()
        } else {
            newest
        };
        in_flight.map_or(last, |atom| last.min(atom))
    }

    /// Which of the cuts to take; `None` where everything stays.
    fn choose<'c>(
        &self,
        cuts: &'c [Candidate],
        options: &LlmCompactOptions,
        limits: &Bounds,
        fired: Exceeded,
    ) -> Option<&'c Candidate> {
        let target = Target::of(options, limits, fired);
        let head = self.fold.cut().head;
        let first = cuts.iter().position(|cut| target.holds(limits, cut.kept));
        let mut at = first.unwrap_or(cuts.len() - 1);
        if cuts.get(at).is_some_and(|cut| cut.tail == head) && !target.is_given {
            // Asked for below every limit: the newest turn stays.
            let opener = self.fold.history.running_opener().filter(|opener| *opener > head)?;
            at = cuts.iter().position(|cut| cut.tail == opener)?;
        }
        at = self.at_turn(cuts, at, limits);
        // What fired must not fire again at once.
        let fits = |cut: &&Candidate| !limits.fires(self.kept_size(cut) + SUMMARY_ALLOWANCE, fired);
        let rest = cuts.get(at..).unwrap_or_default();
        rest.iter().find(fits).or(cuts.last())
    }

    /// The next turn boundary, if a cut there keeps at least half of what this one does.
    fn at_turn(&self, cuts: &[Candidate], at: usize, limits: &Bounds) -> usize {
        let Some(here) = cuts.get(at).filter(|cut| cut.opener.is_some()) else {
            return at;
        };
        let is_turn = |cut: &Candidate| {
            let atom = self.fold.history.atoms().get(cut.tail);
            atom.is_some_and(|atom| atom.opener == Some(cut.tail))
        };
        let next = cuts.iter().skip(at + 1).position(is_turn).map(|found| at + 1 + found);
        next.filter(|next| {
            cuts.get(*next)
                .is_some_and(|cut| limits.weight(cut.kept) * 2.0 >= limits.weight(here.kept))
        })
        .unwrap_or(at)
    }

    /// The size of what stays, without a summary.
    fn kept_size(&self, cut: &Candidate) -> Size {
        let all = self.fold.cut();
        let head = (0..all.head).fold(Size::default(), |sum, atom| sum + self.fold.atom_size(atom));
        let anchors = [cut.opener, self.lone_compaction(cut)].into_iter().flatten();
        anchors.fold(head + cut.kept, |sum, atom| sum + self.fold.atom_size(atom))
    }

    fn lone_compaction(&self, cut: &Candidate) -> Option<usize> {
        let all = self.fold.cut();
        all.compaction
            .filter(|atom| *atom >= all.head && *atom < cut.tail && Some(*atom) != cut.opener)
    }

    fn selection(&self, cut: &Candidate, fired: Exceeded) -> Selection {
        let all = self.fold.cut();
        let compaction = self.lone_compaction(cut);
        let stays =
            |atom: usize| atom < all.head || atom >= cut.tail || cut.opener == Some(atom) || compaction == Some(atom);
        Selection {
            kept: (0..self.fold.history.atoms().len()).map(stays).collect(),
            head: all.head,
            leading: self.fold.head().leading,
            opener: cut.opener,
            compaction,
            fired,
        }
    }
}

/// What a finished fold keeps at its cut, with the calls in flight.
pub fn selection_of<P: Payloads>(fold: &Fold<'_, P>, cut: &Cut, fired: Exceeded) -> Selection {
    let in_flight = fold.history.in_flight().map(|call| call.atom).min();
    let tail = cut.marks.tail.max(cut.head);
    let tail = in_flight.map_or(tail, |atom| tail.min(atom));
    let anchors = [cut.marks.anchor, cut.compaction];
    let stays = |atom: usize| atom < cut.head || atom >= tail || anchors.contains(&Some(atom));
    Selection {
        kept: (0..fold.history.atoms().len()).map(stays).collect(),
        head: cut.head,
        leading: fold.head().leading,
        opener: cut.marks.anchor.filter(|anchor| *anchor < tail && *anchor >= cut.head),
        compaction: cut.compaction.filter(|atom| *atom < tail && *atom >= cut.head),
        fired,
    }
}

/// A place to cut at.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The first atom that stays.
    tail: usize,
    /// What stays from there on.
    kept: Size,
    /// The user message of the turn that is cut.
    opener: Option<usize>,
}

/// The limits as amounts.
struct Bounds {
    most: [Option<f64>; 3],
    ratio: f64,
}

impl Bounds {
    fn amounts(&self, size: Size) -> [f64; 3] {
        [size.items as f64, size.chars as f64, size.tokens as f64 * self.ratio]
    }

    fn exceeded(&self, size: Size) -> Exceeded {
        let amounts = self.amounts(size);
        let mut over = [false; 3];
        for ((over, most), amount) in over.iter_mut().zip(self.most).zip(amounts) {
            *over = most.is_some_and(|most| amount > most);
        }
        Exceeded(over)
    }

    /// Whether one of these limits is exceeded.
    fn fires(&self, size: Size, of: Exceeded) -> bool {
        self.exceeded(size)
            .0
            .iter()
            .zip(of.0)
            .any(|(over, fired)| *over && fired)
    }

    /// The share of a fired limit that a size is; of the one that it is most of.
    fn share(&self, size: Size, fired: Exceeded) -> f64 {
        let shares = self.most.iter().zip(self.amounts(size)).zip(fired.0);
        let of = shares
            .filter_map(|((most, amount), fired)| most.filter(|most| fired && *most > 0.0).map(|most| amount / most));
        of.fold(0.0, f64::max)
    }

    /// One number to compare what two cuts keep: tokens where they are counted, else characters.
    fn weight(&self, size: Size) -> f64 {
        if size.tokens > 0 {
            size.tokens as f64 * self.ratio
        } else {
            size.chars as f64
        }
    }

    /// What must stay and is over a fired limit, in words.
    fn over_floor<P: Payloads>(&self, fired: Exceeded, floor: Size, survey: &Survey<'_, P>) -> Option<String> {
        const NAMES: [&str; 3] = ["items", "characters", "tokens"];
        let over = self.exceeded(floor);
        let at = (0..3).find(|at| over.0.get(*at) == Some(&true) && fired.0.get(*at) == Some(&true))?;
        let most = self.most.get(at).copied().flatten()?;
        let amount = |size: Size| self.amounts(size).get(at).copied().unwrap_or(0.0);
        let head = (0..survey.fold.cut().head).fold(Size::default(), |sum, atom| sum + survey.fold.atom_size(atom));
        let name = NAMES.get(at)?;
        Some(format!(
            "what must stay is over the limit alone: system and pinned items {}, newest step and its opener {} of {} {name}",
            thousands(amount(head) as u64),
            thousands(amount(floor - head) as u64),
            thousands(most.max(0.0) as u64),
        ))
    }
}

/// How much of the newest is to be kept.
struct Target {
    most: [Option<f64>; 3],
    /// The host named it.
    is_given: bool,
}

impl Target {
    fn of(options: &LlmCompactOptions, limits: &Bounds, fired: Exceeded) -> Self {
        if options.keep_recent_items.is_some() || options.keep_recent_tokens.is_some() {
            return Self {
                most: [
                    options.keep_recent_items.map(|most| most as f64),
                    None,
                    options.keep_recent_tokens.map(|most| most as f64),
                ],
                is_given: true,
            };
        }
        let mut most = [None; 3];
        for ((most, limit), fired_too) in most.iter_mut().zip(limits.most).zip(fired.0) {
            *most = limit
                .filter(|_| fired_too || !fired.any())
                .map(|limit| (limit / 2.0).max(0.0));
        }
        Self { most, is_given: false }
    }

    fn holds(&self, limits: &Bounds, kept: Size) -> bool {
        let pairs = self.most.iter().zip(limits.amounts(kept));
        pairs
            .into_iter()
            .all(|(most, amount)| most.is_none_or(|most| amount <= most))
    }
}
