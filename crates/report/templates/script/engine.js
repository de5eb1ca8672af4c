"use strict";
// What decides, as `fieldtest advise` does: the crate fieldtest-verdict, compiled to WebAssembly. `matrix` is what decisions are
// made of; the function that is returned takes a question and returns the verdict.
const engine = async (wasm, matrix) => {
  const { instance: { exports: it } } = await WebAssembly.instantiate(wasm);
  const put = value => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    // Room first: the memory may be another one afterwards.
    const at = it.room(bytes.length);
    new Uint8Array(it.memory.buffer, at, bytes.length).set(bytes);
  };
  put(matrix);
  if (!it.read()) throw new Error("cannot read the matrix");
  return question => {
    put(question);
    const place = it.decide();
    const answer = new Uint8Array(it.memory.buffer, place);
    return JSON.parse(new TextDecoder().decode(answer.subarray(0, answer.indexOf(0))));
  };
};
