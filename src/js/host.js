// The public names that stand in JavaScript; all others come from the glue.

export { CompactPolicyMemoryCompressor } from "./compact/compressor.js";
export { LlmCompactPolicy } from "./compact/llm.js";
export { commitCompaction, continueCompaction, planCompaction } from "./compact/plan.js";
export { StructuredSummaryCompactPolicy } from "./compact/structured.js";
export { InMemoryAgentMemory } from "./memory/in-memory.js";
export { WindowedMemoryCompressor } from "./memory/windowed.js";
export { CodeActRuntime } from "./runtime/code-act.js";
export { DeepResearchRuntime } from "./runtime/deep-research.js";
export { PauseRun } from "./runtime/pause.js";
export { ReActRuntime } from "./runtime/react.js";
export { AgentSession } from "./session/session.js";
