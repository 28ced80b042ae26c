// What `context-projector/slim` is: the same names for those who load the wasm themselves. Nothing works before `init()` or
// `initSync()`.

export * from "build:public";
export { initSync, default } from "build:glue";
