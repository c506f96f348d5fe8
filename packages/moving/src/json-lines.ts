import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileFailure, LineFault, parseJsonLine, readJsonLines } from '@pressroom/common/files/json-lines';
import { because } from './reasons.ts';
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
      if (!(error instanceof LineFault)) throw error;
      yield { place, unreadable: because(error.fault, null, error.message) };
    }
  }
}

function withoutMembers(line: unknown, names: readonly string[]): unknown {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) return line;
  return Object.fromEntries(Object.entries(line).filter(([name]) => !names.includes(name)));
}

/** A file with the same text that can be read twice: what is none itself, such as a pipe, is copied. */
export async function rereadable(file: string): Promise<string> {
  const isFile = file !== '-' && (await stat(file).catch(() => undefined))?.isFile() !== false;
  if (isFile) return file;
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-import-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'lines.jsonl');
  try {
    await pipeline(file === '-' ? process.stdin : createReadStream(file), createWriteStream(copy));
  } catch (error) {
    throw fileFailure(error, file);
  }
  return copy;
}
