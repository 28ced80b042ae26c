//! Which dialect an item's shape proves. `None` where the shape fits several.

use super::Dialect;
use crate::item::sketch::Sketch;

/// The dialect that the shape of an item proves.
pub fn dialect(item: &Sketch<'_>) -> Option<Dialect> {
    let kind = item.kind();
    let has_role = item.str("role").is_some();
    if let Some(Sketch::List(parts)) = item.get("parts") {
        return of_parts(item, parts);
    }
    let by_content = item.list("content").iter().find_map(of_content);
    if kind == "message" {
        // An answer of Anthropic's API carries the same type as a Responses message; its blocks tell them apart.
        return Some(match by_content {
            Some(Dialect::Anthropic) => Dialect::Anthropic,
            None if item.get("stop_reason").is_some() => Dialect::Anthropic,
            _ => Dialect::OpenAiResponses,
        });
    }
    if !kind.is_empty() && !has_role && kind != "constructor" {
        return Some(Dialect::OpenAiResponses);
    }
    if by_content.is_some() {
        return by_content;
    }
    match item.str("role") {
        Some("tool") if item.get("tool_call_id").is_some() => Some(Dialect::OpenAiChat),
        Some("tool") if matches!(item.get("content"), Some(Sketch::List(_))) => Some(Dialect::AiSdk),
        Some("function") => Some(Dialect::OpenAiChat),
        Some("assistant")
            if [
                "tool_calls",
                "function_call",
                "refusal",
                "reasoning_content",
                "reasoning",
                "reasoning_details",
                "audio",
            ]
            .iter()
            .any(|key| item.get(key).is_some()) =>
        {
            Some(Dialect::OpenAiChat)
        }
        Some(_) if item.get("providerOptions").is_some() => Some(Dialect::AiSdk),
        _ => None,
    }
}

fn of_parts(item: &Sketch<'_>, parts: &[Sketch<'_>]) -> Option<Dialect> {
    if item.str("role") == Some("model") {
        return Some(Dialect::Gemini);
    }
    match parts.first() {
        Some(part) if part.get("type").is_some() => Some(Dialect::AiSdkUi),
        None if item.get("id").is_some() => Some(Dialect::AiSdkUi),
        _ => Some(Dialect::Gemini),
    }
}

fn of_content(part: &Sketch<'_>) -> Option<Dialect> {
    let has = |key: &str| part.get(key).is_some();
    match part.kind() {
        "input_text" | "output_text" | "input_image" | "input_file" => Some(Dialect::OpenAiResponses),
        "image_url" | "input_audio" => Some(Dialect::OpenAiChat),
        "file" if has("file") => Some(Dialect::OpenAiChat),
        // Mistral's reasoning is a list of parts under the name that Anthropic uses for a string.
        "thinking" if matches!(part.get("thinking"), Some(Sketch::List(_))) => Some(Dialect::OpenAiChat),
        "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "document" | "search_result" | "compaction"
        | "container_upload" | "fallback" => Some(Dialect::Anthropic),
        "image" if has("source") => Some(Dialect::Anthropic),
        "text" if has("cache_control") || has("citations") => Some(Dialect::Anthropic),
        "tool-call" | "tool-result" | "reasoning" | "tool-approval-request" | "tool-approval-response" => {
            Some(Dialect::AiSdk)
        }
        "image" if has("image") => Some(Dialect::AiSdk),
        "file" if has("mediaType") || has("mimeType") => Some(Dialect::AiSdk),
        "text" if has("providerOptions") => Some(Dialect::AiSdk),
        kind if kind.ends_with("_tool_use") || kind.ends_with("_tool_result") => Some(Dialect::Anthropic),
        _ => None,
    }
}
