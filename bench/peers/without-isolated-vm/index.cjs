/**
 * Instead of isolated-vm, which needs a compiler and the headers of Node. Directus runs sandboxed extensions and
 * the scripts of flows in it, and the bench has neither.
 */
exports.Isolate = class {
  constructor() {
    throw new Error('isolated-vm is not installed with the peers of the bench');
  }
};
