import { parseJsonLine, readJsonLines } from '@pressroom/common/files/json-lines';
import type { SourceEntry } from './source-entry.ts';

/** Reads a JSON Lines file, or standard input for `-`, without the members that it has for other purposes. */
export async function* jsonLineEntries(
  file: string,
  ignored: readonly string[],
): AsyncGenerator<SourceEntry> {
  for await (const { number, text } of readJsonLines(file)) {
    const place = `line ${number}`;
    try {
      yield { place, line: withoutMembers(parseJsonLine(text), ignored) };
    } catch (error) {
      yield { place, unreadable: error instanceof Error ? error.message : String(error) };
    }
  }
}

function withoutMembers(line: unknown, names: readonly string[]): unknown {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) return line;
  return Object.fromEntries(Object.entries(line).filter(([name]) => !names.includes(name)));
}
