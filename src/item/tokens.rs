//! The built-in token estimate: integer arithmetic only, the same everywhere.
//!
//! Not a tokenizer. Weights are chosen so that English prose, code, JSON, CJK and other scripts come out near, and
//! rather above, what byte-pair encoders with 100,000 to 200,000 tokens make of them; hosts that need exact figures
//! pass `countTokens` or report usage.

/// Weights are in sixteenths of a token.
const SIXTEENTHS: u64 = 16;

/// An unbroken run of base64 characters from this length on counts a token a character.
const BASE64_RUN: usize = 512;

/// Tokens that frame an item, beside its text.
pub const ITEM_TOKENS: u64 = 4;

/// Tokens of an image, audio or file when the host says nothing else.
pub const MEDIA_TOKENS: u64 = 1_600;

/// Tokens of an opaque payload (encrypted content, a signature) of this many characters: its bytes less a fixed
/// frame of 650, four to a token; as the codex client counts.
#[must_use]
pub fn opaque(chars: u64) -> u64 {
    (chars * 3 / 4).saturating_sub(650) / 4
}

/// Estimated tokens of a text.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let mut weight = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (used, part) = run(rest, first);
        weight += part;
        rest = rest.get(used..).unwrap_or_default();
    }
    weight.div_ceil(SIXTEENTHS)
}

/// Byte length and weight of the run that `rest` begins with.
fn run(rest: &str, first: char) -> (usize, u64) {
    if is_base64(first) {
        let length = rest.bytes().take_while(|byte| is_base64(*byte as char)).count();
        if length >= BASE64_RUN {
            return (length, length as u64 * SIXTEENTHS);
        }
    }
    if first.is_ascii_alphabetic() {
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        // Four letters a token, the space in front of a word included, and at least one.
        return (length, SIXTEENTHS.max((length as u64 + 1) * 4));
    }
    if first.is_ascii_digit() {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        return (length, (length as u64).div_ceil(3) * SIXTEENTHS);
    }
    if first == ' ' || first == '\t' {
        let length = rest.bytes().take_while(|byte| *byte == b' ' || *byte == b'\t').count();
        // One space belongs to the word behind it; indentation is a token for about eight.
        return (
            length,
            if length == 1 {
                0
            } else {
                SIXTEENTHS + (length as u64 / 8) * SIXTEENTHS
            },
        );
    }
    (first.len_utf8(), script(first))
}

fn is_base64(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '=' | '-' | '_')
}

/// Weight of one character outside the runs above, by its script.
fn script(character: char) -> u64 {
    match u32::from(character) {
        // Line breaks and control characters; other ASCII is punctuation, of which two often make one token.
        0..=0x1f => 8,
        0x20..=0x7f => 10,
        // Latin with marks, Greek, Cyrillic.
        0x80..=0x52f => 8,
        // Armenian, Hebrew, Arabic; Indic scripts, Thai and neighbours.
        0x530..=0x8ff => 10,
        0x900..=0x10ff => 14,
        // Hangul; kana; Han.
        0x1100..=0x11ff | 0xac00..=0xd7af => 14,
        0x3040..=0x30ff => 13,
        0x2e80..=0x9fff => 16,
        // Emoji and all beyond the basic plane.
        0x1_0000.. => 32,
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_near_four_characters_a_token() {
        let text = "The quick brown fox jumps over the lazy dog and runs into the forest before sunset. ".repeat(20);
        let ratio = text.len() as f64 / estimate(&text) as f64;
        assert!((3.2..4.6).contains(&ratio), "{ratio}");
    }

    #[test]
    fn han_is_near_one_token_a_character() {
        let tokens = estimate(&"漢字".repeat(2_000));
        assert!((3_000..5_200).contains(&tokens), "{tokens}");
    }

    #[test]
    fn long_base64_counts_a_token_a_character_and_short_words_do_not() {
        assert!(estimate(&"Zm9v".repeat(1_000)) >= 3_800);
        assert!(estimate("internationalization") < 8);
    }

    #[test]
    fn opaque_payloads_count_by_their_bytes() {
        assert_eq!(opaque(100), 0);
        assert_eq!(opaque(4_000), (3_000 - 650) / 4);
    }
}
