/** What the browser has kept; undefined if that is nothing, or nothing that can be read. */
export function kept<Value>(read: () => Value | null): Value | undefined {
  try {
    return read() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Has the browser keep or forget something. Where it keeps nothing, the value is gone with the page. */
export function keep(write: () => void): void {
  try {
    write();
  } catch {}
}
