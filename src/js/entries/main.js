// What `context-projector` is in browsers, bundlers, Node and workerd: made ready on import, so that the first call works
// without waiting. The build decides what `build:wasm` is: the bytes themselves, or workerd's compiled module.
//
// Synchronous on purpose: a top-level await would keep `require` and older bundlers out, and a fetch would need a server
// that knows where the file is.

import { initSync } from "build:glue";
import wasm from "build:wasm";

initSync({ module: wasm });

export * from "build:public";
