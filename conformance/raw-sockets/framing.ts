import { answers, type Case, HIDDEN, kept, refused } from './case.ts';

/** A service's resource that accepts a POST, and its answer to an empty object without credentials. */
export interface Target {
  path: string;
  status: number;
}

const LENGTHS = [
  '-1',
  '+5',
  '5 5',
  '5,6',
  '0x5',
  '5;',
  '5.0',
  '1e1',
  'five',
  '\x0b5',
  '"5"',
  '99999999999999999999999',
];

const ENCODINGS = [
  'xchunked',
  'chunkedx',
  'chunked, identity',
  'chunked, gzip',
  'gzip',
  'identity',
  'cow',
  'chunked;q=1',
  '"chunked"',
  'chunked\x0b',
  'chun\tked',
  '\x0cchunked',
  'chunked, ',
  'chunked chunked',
];

const CHUNKS = [
  ['not hexadecimal', 'zz\r\n'],
  ['negative', '-2\r\n{}\r\n0\r\n\r\n'],
  ['with a sign', '+2\r\n{}\r\n0\r\n\r\n'],
  ['with 0x', '0x2\r\n{}\r\n0\r\n\r\n'],
  ['too large', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
  ['empty', '\r\n{}\r\n0\r\n\r\n'],
  ['with white space before', ' 2\r\n{}\r\n0\r\n\r\n'],
  ['with white space within', '2 2\r\n{}\r\n0\r\n\r\n'],
  ['with NUL', '2\x00\r\n{}\r\n0\r\n\r\n'],
  ['ended by a line feed', '2\n{}\r\n0\r\n\r\n'],
  ['ended by a carriage return', '2\r{}\r\n0\r\n\r\n'],
  ['with a line feed in its extension', '2;a\nb\r\n{}\r\n0\r\n\r\n'],
  ['shorter than its data', '1\r\n{}\r\n0\r\n\r\n'],
  ['longer than its data', '3\r\n{}\r\n0\r\n\r\n'],
  ['without an end of its data', '2\r\n{}0\r\n\r\n'],
  ['whose data ends by a line feed', '2\r\n{}\n0\r\n\r\n'],
  ['with an endless extension', `2;${'a'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`],
] as const;

export function framing({ path, status }: Target): Case[] {
  const post = (lines: readonly string[], body: string) => [
    kept(`POST ${path} HTTP/1.1`, ['Content-Type: application/json', ...lines], body),
  ];
  const bad = (name: string, lines: readonly string[], body = `{}${HIDDEN}`): Case => ({
    name,
    pieces: post(lines, body),
    // A client without permission can be refused after the head, before the body is read.
    due: refused(400, 413, 431, ...(status === 400 ? [] : [status])),
  });
  const fine = (name: string, lines: readonly string[], body: string): Case => ({
    name,
    pieces: post(lines, `${body}${kept('GET /healthz HTTP/1.1', ['Connection: close'])}`),
    due: answers([status, 200], [status]),
  });
  const chunked = 'Transfer-Encoding: chunked';
  const hiddenInChunks = `0\r\n\r\n${HIDDEN}`;
  return [
    ...LENGTHS.map((value) => bad(`Content-Length: ${JSON.stringify(value)}`, [`Content-Length: ${value}`])),
    bad('two lengths', ['Content-Length: 2', 'Content-Length: 3']),
    bad('two equal lengths', ['Content-Length: 2', 'Content-Length: 2']),
    bad('white space before the colon of a length', ['Content-Length : 2']),
    bad('a folded length', ['Content-Length:\r\n 2']),
    bad('a length and chunks', ['Content-Length: 2', chunked], hiddenInChunks),
    bad('chunks and a length', [chunked, 'Content-Length: 2'], hiddenInChunks),
    bad('a length of nothing and chunks', ['Content-Length: 0', chunked], hiddenInChunks),
    ...ENCODINGS.map((value) =>
      bad(`Transfer-Encoding: ${JSON.stringify(value)}`, [`Transfer-Encoding: ${value}`], hiddenInChunks),
    ),
    ...ENCODINGS.map((value) =>
      bad(`Transfer-Encoding: ${JSON.stringify(value)} and a length`, [
        `Transfer-Encoding: ${value}`,
        'Content-Length: 2',
      ]),
    ),
    bad('chunks after another encoding', [chunked, 'Transfer-Encoding: identity'], hiddenInChunks),
    bad('white space before the colon of an encoding', ['Transfer-Encoding : chunked'], hiddenInChunks),
    bad('a folded encoding', ['Transfer-Encoding:\r\n chunked'], hiddenInChunks),
    bad('an encoding behind a bare carriage return', [
      'X: y\rTransfer-Encoding: chunked',
      'Content-Length: 2',
    ]),
    bad('an encoding behind a bare line feed', ['X: y\nTransfer-Encoding: chunked', 'Content-Length: 2']),
    ...CHUNKS.map(([name, body]) => bad(`a chunk's size ${name}`, [chunked], `${body}${HIDDEN}`)),
    fine('a length', ['Content-Length: 2'], '{}'),
    fine('a length with white space around it', ['Content-Length: \t 2 \t'], '{}'),
    fine('chunks', [chunked], '2\r\n{}\r\n0\r\n\r\n'),
    fine('chunks by another spelling', ['TRANSFER-ENCODING: ChUnKeD'], '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'),
    fine('chunks with extensions and trailers', [chunked], '2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n'),
    fine('sizes in capitals and with zeros', [chunked], '0002\r\n{}\r\n0000\r\n\r\n'),
  ];
}
