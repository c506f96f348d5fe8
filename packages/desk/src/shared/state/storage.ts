/** A value from the browser's storage; undefined if there is none, or none that can be read. */
export function kept<Value>(read: () => Value | null): Value | undefined {
  try {
    return read() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Changes the browser's storage. If that fails, the value is gone with the page. */
export function keep(write: () => void): void {
  try {
    write();
  } catch {}
}
