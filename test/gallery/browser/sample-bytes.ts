/** Bytes that differ everywhere, the same in the browser and in the test: a linear congruential generator. */
export function sampleBytes(size: number, seed: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = seed;
  for (let i = 0; i < words.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words[i] = state;
  }
  return new Uint8Array(words.buffer, 0, size);
}
