import { readFileSync } from 'node:fs';

/** The answer of a service in the JSON file that `ANSWER` names, with the headers of its 304. */
export function capturedAnswer() {
  const { headers, body }: { headers: Record<string, string>; body: string } = JSON.parse(
    readFileSync(process.env.ANSWER ?? '', 'utf8'),
  );
  const { 'content-type': _type, 'content-length': _length, ...unchanged } = headers;
  return { headers, body, unchanged };
}
