// Old images give way to a note in the words of their dialect, in messages and in results; the newest and the unread stay.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builders } from "./builders.mjs";
import { pkg } from "./load.mjs";

const { project, validate } = pkg;

/** @typedef {import("./builders.mjs").Item} Item */
/** @typedef {import("../../src/js/types.d.ts").Dialect} Dialect */

const NOTE = "[image cleared]";
const base64 = (/** @type {string} */ letter) => letter.repeat(400);
const url = (/** @type {string} */ letter) => `data:image/png;base64,${base64(letter)}`;

/**
 * image: a part; note: what takes its place; message: one of words and parts; shot: a call and its result, of words and parts, where
 * the dialect's results take images.
 * @type {{ [dialect in Dialect]: { image: (letter: string) => Item, note: Item | null, message: (text: string, part: Item) => Item, shot?: (id: string, parts: Item[]) => Item[], shotImage?: (letter: string) => Item, shotNote?: Item | null } }}
 */
const shapes = {
  "openai-responses": {
    image: (letter) => ({ type: "input_image", detail: "auto", image_url: url(letter) }),
    note: { type: "input_text", text: NOTE },
    message: (text, part) => ({ type: "message", role: "user", content: [{ type: "input_text", text }, part] }),
    shot: (id, parts) => [
      { type: "function_call", call_id: id, name: "shot", arguments: "{}" },
      { type: "function_call_output", call_id: id, output: [{ type: "input_text", text: `Seen ${id}` }, ...parts] },
    ],
  },
  "openai-chat": {
    image: (letter) => ({ type: "image_url", image_url: { url: url(letter) } }),
    note: { type: "text", text: NOTE },
    message: (text, part) => ({ role: "user", content: [{ type: "text", text }, part] }),
  },
  anthropic: {
    image: (letter) => ({ type: "image", source: { type: "base64", media_type: "image/png", data: base64(letter) } }),
    note: { type: "text", text: NOTE },
    message: (text, part) => ({ role: "user", content: [{ type: "text", text }, part] }),
    shot: (id, parts) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "shot", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: `Seen ${id}` }, ...parts] }] },
    ],
  },
  gemini: {
    image: (letter) => ({ inlineData: { mimeType: "image/png", data: base64(letter) } }),
    note: { text: NOTE },
    message: (text, part) => ({ role: "user", parts: [{ text }, part] }),
    // A function response's own parts are media only: there the image goes without a note.
    shotNote: null,
    shot: (id, parts) => [
      { role: "model", parts: [{ functionCall: { id, name: "shot", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "shot", response: { output: `Seen ${id}` }, parts } }] },
    ],
  },
  "ai-sdk": {
    image: (letter) => ({ type: "image", image: base64(letter), mediaType: "image/png" }),
    note: { type: "text", text: NOTE },
    message: (text, part) => ({ role: "user", content: [{ type: "text", text }, part] }),
    shotImage: (letter) => ({ type: "media", data: base64(letter), mediaType: "image/png" }),
    shot: (id, parts) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "shot", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "shot", output: { type: "content", value: [{ type: "text", text: `Seen ${id}` }, ...parts] } }] },
    ],
  },
  "ai-sdk-ui": {
    image: (letter) => ({ type: "file", mediaType: "image/png", url: url(letter) }),
    note: { type: "text", text: NOTE },
    message: (text, part) => ({ id: text, role: "user", parts: [{ type: "text", text }, part] }),
  },
};

const letters = [..."ABCDE"];

for (const [name, { image, note, message, shot, shotImage = image, shotNote = note }] of Object.entries(shapes)) {
  const dialect = /** @type {Dialect} */ (name);
  const b = builders[dialect];
  const options = { dialect };
  /** @param {readonly object[]} items */
  const faults = (items) => validate(items, options).filter(({ severity }) => severity === "error");

  describe(`images, in ${dialect}`, () => {
    it("in messages become a note of the dialect, and the rest of the message stays", () => {
      const items = letters.flatMap((letter) => [message(letter, image(letter)), b.assistant("Seen.")]);
      for (let most = 0; most <= letters.length; most += 1) {
        const { items: out, report } = project(items, { maxRecentImages: most }, options);
        // The newest of them has been seen as well: a word of the model stands behind it.
        const old = letters.length - most;
        letters.forEach((letter, index) => {
          const source = items[index * 2];
          if (index >= old) assert.equal(out[index * 2], source);
          else assert.deepEqual(out[index * 2], message(letter, /** @type {Item} */ (note)));
          assert.equal(out[index * 2 + 1], items[index * 2 + 1]);
        });
        assert.equal(report.ledger.filter(({ fate, reason }) => fate === "cleared" && reason === "maxRecentImages").length, old);
        assert.deepEqual(faults(out), []);
      }
    });

    if (!shot) return;
    it("in results become a note too, and the words beside them stay", () => {
      const items = [b.user("Look."), ...letters.flatMap((letter) => [...shot(letter, [shotImage(letter)]), b.assistant("Seen.")])];
      const { items: out } = project(items, { maxRecentImages: 2 }, options);
      const expected = letters.flatMap((letter, index) => [...shot(letter, index >= 3 ? [shotImage(letter)] : shotNote ? [shotNote] : []), b.assistant("Seen.")]);
      assert.deepEqual(out.slice(1), expected);
      assert.deepEqual(faults(out), []);
    });

    it("that the model has not seen stay, whatever the limit", () => {
      const seen = [b.user("Look."), ...shot("A", [shotImage("A")]), b.assistant("Seen."), ...shot("B", [shotImage("B"), shotImage("C")])];
      const { items: out } = project(seen, { maxRecentImages: 0 }, options);
      assert.equal(out.at(-1), seen.at(-1));
      assert.ok(!JSON.stringify(out).includes(base64("A")));
      const later = project([...seen, b.assistant("Seen.")], { maxRecentImages: 0 }, options).items;
      assert.ok(!JSON.stringify(later).includes(base64("B")) && !JSON.stringify(later).includes(base64("C")));
    });
  });
}
