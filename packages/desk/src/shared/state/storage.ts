/** Reads what {@link keepJson} has kept; undefined if there is nothing, or nothing that can be read. */
export function keptJson<Value>(name: string): Value | undefined {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

/** Keeps a value in this browser. Where it stores nothing, the value is gone with the page. */
export function keepJson(name: string, value: readonly unknown[]): void {
  try {
    if (value.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {}
}
