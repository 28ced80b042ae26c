//! Text in UTF-16 units, as JavaScript counts it.

/// Length in UTF-16 units.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char::len_utf16).sum()
}

/// A number with commas between thousands: `45,210`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The shortest text that [`shorten`] cuts to: room for the sentence that says what went.
pub const SHORTEST: usize = 48;

/// Cuts the middle out of a text of more than `limit` UTF-16 units (limits under [`SHORTEST`] count as that), keeping
/// head and tail and saying how much went. Never splits a code point. `None` where the text fits.
#[must_use]
pub fn shorten(text: &str, limit: usize) -> Option<String> {
    let limit = limit.max(SHORTEST);
    let total = utf16_len(text);
    if total <= limit {
        return None;
    }
    // The sentence grows with its number: its length is taken at the largest number that it can hold.
    let room = limit.saturating_sub(utf16_len(&cut_sentence(total)));
    let head = prefix(text, room.div_ceil(2));
    let tail = suffix(text, room / 2);
    let gone = total - utf16_len(head) - utf16_len(tail);
    Some(format!("{head}{}{tail}", cut_sentence(gone)))
}

fn cut_sentence(units: usize) -> String {
    format!("\n[… {} characters cut …]\n", thousands(units as u64))
}

/// The longest beginning of at most `units` UTF-16 units.
fn prefix(text: &str, units: usize) -> &str {
    let mut left = units;
    for (index, character) in text.char_indices() {
        match left.checked_sub(character.len_utf16()) {
            Some(rest) => left = rest,
            None => return text.get(..index).unwrap_or_default(),
        }
    }
    text
}

/// The longest end of at most `units` UTF-16 units.
fn suffix(text: &str, units: usize) -> &str {
    let mut left = units;
    for (index, character) in text.char_indices().rev() {
        match left.checked_sub(character.len_utf16()) {
            Some(rest) => left = rest,
            None => return text.get(index + character.len_utf8()..).unwrap_or_default(),
        }
    }
    text
}

/// A 64-bit digest of a text (FNV-1a, Fowler, Noll and Vo): names a text, protects nothing.
#[must_use]
pub fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn shortened_text_keeps_head_and_tail_and_fits() {
        let text = format!("BEGIN{}END", "x".repeat(500));
        let short = shorten(&text, 100).expect("longer than the limit");
        assert!(short.starts_with("BEGIN") && short.ends_with("END"), "{short}");
        assert!(utf16_len(&short) <= 100);
        assert_eq!(shorten(&short, 100), None);
        assert_eq!(shorten(&text, 508), None);
    }

    #[test]
    fn code_points_stay_whole_at_every_limit() {
        let text = "😀é漢".repeat(60);
        for limit in 0..250 {
            if let Some(short) = shorten(&text, limit) {
                assert!(utf16_len(&short) <= limit.max(SHORTEST));
                assert!(!short.contains('\u{fffd}'));
                assert_eq!(shorten(&short, limit), None);
            }
        }
    }
}
