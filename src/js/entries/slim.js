// What `context-projector/slim` is: the glue as it was generated, for those who load the wasm themselves. Nothing works
// before `init()` or `initSync()`.

export * from "build:glue";
export { default } from "build:glue";
