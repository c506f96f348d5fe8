/**
 * Stands in for curl on machines without it, for the commands that the docs print: `-fsS`, `-X`, `-H`, `-d`,
 * `-T`, and cookies kept by `-c` and sent by `-b`. Anything else is an error.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fail: { ...flag, short: 'f' },
    silent: { ...flag, short: 's' },
    'show-error': { ...flag, short: 'S' },
    request: { ...text, short: 'X' },
    header: { ...text, short: 'H', multiple: true },
    data: { ...text, short: 'd' },
    'upload-file': { ...text, short: 'T' },
    'cookie-jar': { ...text, short: 'c' },
    cookie: { ...text, short: 'b' },
  },
});

const headers = new Headers((values.header ?? []).map((line) => line.split(/:\s*(.*)/s).slice(0, 2)));
if (values.cookie !== undefined) headers.set('cookie', readFileSync(values.cookie, 'utf8'));
const upload = values['upload-file'];
const body = upload === undefined ? values.data : readFileSync(upload);
const method = values.request ?? (upload !== undefined ? 'PUT' : body === undefined ? 'GET' : 'POST');
const answer = await fetch(positionals[0] ?? '', { method, headers, body });
const jar = values['cookie-jar'];
if (jar !== undefined) {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  writeFileSync(jar, cookies.join('; '));
}
process.stdout.write(await answer.text());
process.exitCode = values.fail && !answer.ok ? 22 : 0;
