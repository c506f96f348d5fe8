import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { passwordRule } from '../session/password.ts';

/**
 * Reads a password: twice from the terminal without echo, or else from the first line of standard input.
 * Throws an error that says what to do if the two differ, or if it may not protect the gallery.
 */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await ask() : firstLine(await text(process.stdin));
  if (password === '') throw new Error('the password is empty: type one, or pipe it in as one line');
  const expected = passwordRule(password);
  if (expected !== undefined) throw new Error(`choose ${expected}`);
  if (password.length > 1024) throw new Error('the password is longer than 1024 characters');
  return password;
}

function firstLine(input: string): string {
  return input.split(/\r?\n/, 1)[0] ?? '';
}

async function ask(): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true });
  try {
    process.stderr.write('Password: ');
    const password = await lines.question('');
    process.stderr.write('\nRepeat the password: ');
    const again = await lines.question('');
    process.stderr.write('\n');
    if (password !== again) throw new Error('the two passwords do not match');
    return password;
  } finally {
    lines.close();
  }
}
