// Types that the importer's modules share. No code.

/** @typedef {{ [key: string]: any }} Plain an object out of JSON */
/** @typedef {"openai-responses" | "openai-chat" | "anthropic" | "gemini" | "ai-sdk" | "ai-sdk-ui"} Dialect */
/** @typedef {{ line: number, message: string }} Problem `line` counts from 1; 0 is the file as a whole */
/** @typedef {{ items: Plain[], dialect: Dialect, source: string, problems: Problem[] }} Transcript */
/** @typedef {{ line: number, value: unknown, deep: boolean }} Entry a value of the file; `deep`: nested so much that its items are to be measured */
/** @typedef {{ form: "lines" | "array" | "object" | "values", entries: Entry[], problems: Problem[] }} Reading */
/** @typedef {{ name: string, dialect: Dialect, read: (entries: readonly Entry[], problems: Problem[]) => Plain[] }} Format */

export {};
