// The message types of the providers' own packages go in, and come out as what they were.

import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { Content } from "@google/genai";
import type { ModelMessage, UIMessage } from "ai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { type ContextBudget, type ContextProjection, type Item, project, projectJson } from "context-projector";
import { proof, type Same } from "./helpers.js";

const budget: ContextBudget = { maxItems: 40, maxRecentToolResults: 5, lowWater: 0.6 };

// Were a package not installed, its types would be `any` and the proofs below would prove nothing.
proof<Same<Same<MessageParam, any>, false>>();
proof<Same<Same<ChatCompletionMessageParam, any>, false>>();
proof<Same<Same<ResponseInputItem, any>, false>>();
proof<Same<Same<Content, any>, false>>();
proof<Same<Same<ModelMessage, any>, false>>();
proof<Same<Same<UIMessage, any>, false>>();

export function anthropic(history: MessageParam[]): MessageParam[] {
  const { items } = project(history, budget, { dialect: "anthropic" });
  proof<Same<typeof items, MessageParam[]>>();
  for (const message of items) {
    if (typeof message.content === "string") continue;
    for (const block of message.content) {
      if (block.type === "tool_result") block.tool_use_id satisfies string;
    }
  }
  return items;
}

export function chat(history: ChatCompletionMessageParam[]): string[] {
  const { items } = project(history, budget, { dialect: "openai-chat", strictRoles: true });
  proof<Same<typeof items, ChatCompletionMessageParam[]>>();
  return items.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
}

export function responses(history: ResponseInputItem[]): ResponseInputItem.FunctionCallOutput[] {
  const { items } = project(history, budget, { store: false });
  proof<Same<typeof items, ResponseInputItem[]>>();
  return items.filter((item) => item.type === "function_call_output");
}

export function gemini(history: Content[]): Content[] {
  const { items } = project(history, budget, { dialect: "gemini" });
  proof<Same<typeof items, Content[]>>();
  items[0]?.parts?.[0]?.functionCall?.name satisfies string | undefined;
  return items;
}

export function modelMessages(history: readonly ModelMessage[]): ModelMessage[] {
  const projection = project(history, budget, { summary: "So far …", summaryRole: "system" });
  proof<Same<typeof projection, ContextProjection<ModelMessage>>>();
  return projection.items;
}

interface Metadata {
  sentAt: number;
}

export function uiMessages(history: UIMessage<Metadata>[]): (number | undefined)[] {
  const { items } = project(history, budget);
  proof<Same<typeof items, UIMessage<Metadata>[]>>();
  return items.map((message) => message.metadata?.sentAt);
}

/** Several shapes in one history keep their union. */
export function mixed(history: (ChatCompletionMessageParam | ResponseInputItem)[]): (ChatCompletionMessageParam | ResponseInputItem)[] {
  return project(history).items;
}

/** Shapes of one's own, tuples and frozen arrays are welcome too. */
export function own(): void {
  const pair = [{ role: "user", content: "Hello" }, { role: "assistant", content: "Ahoy" }] as const;
  const { items } = project(pair);
  items[0]?.content satisfies "Hello" | "Ahoy" | undefined;

  const frozen: readonly Readonly<{ role: string }>[] = Object.freeze([{ role: "user" }]);
  proof<Same<ReturnType<typeof project<Readonly<{ role: string }>>>["items"], Readonly<{ role: string }>[]>>();
  project(frozen);

  const unknownShape: Item[] = JSON.parse("[]");
  proof<Same<ReturnType<typeof project<Item>>, ContextProjection>>();
  project(unknownShape);
}

export function json(history: ResponseInputItem[]): string {
  const text: string = projectJson(JSON.stringify(history), budget, { pending: "close" });
  return projectJson(text, JSON.stringify(budget), '{"dialect":"openai-responses"}');
}

export function wrong(history: MessageParam[]): void {
  // @ts-expect-error: one message is no history
  project(history[0]);
  // @ts-expect-error: items are objects, not texts
  project(["Hello"]);
  // @ts-expect-error: the projection of Anthropic messages is no list of OpenAI messages
  project(history).items satisfies ChatCompletionMessageParam[];
  // @ts-expect-error: JSON text is for projectJson
  project(JSON.stringify(history));
  // @ts-expect-error: and projectJson takes no array
  projectJson(history);
}
