/** A deterministic generator of numbers in [0, 1) (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WRAPPERS = [
  'p',
  'table',
  'td',
  'svg',
  'math',
  'mtext',
  'a',
  'ul',
  'pre',
  'blockquote',
  'iframe',
  'figure',
];
const PIECES = [
  '<',
  '>',
  '"',
  "'",
  '`',
  '=',
  '/',
  '\t',
  '\n',
  '\f',
  '\u0001',
  '&',
  ';',
  '<!--',
  '-->',
  ']]>',
  '\u00a0',
];

/** A mutation of a text; any result is worth trying. */
type Mutator = (text: string, random: () => number, others: readonly string[]) => string;

const MUTATORS: readonly Mutator[] = [
  // Insert a fragment somewhere.
  (text, random) => {
    const at = Math.floor(random() * (text.length + 1));
    return text.slice(0, at) + pick(PIECES, random) + text.slice(at);
  },
  // Remove a character.
  (text, random) => {
    const at = Math.floor(random() * text.length);
    return text.slice(0, at) + text.slice(at + 1);
  },
  // Change the case.
  (text, random) => [...text].map((char) => (random() < 0.5 ? char.toUpperCase() : char)).join(''),
  // Replace a character with a character reference.
  (text, random) => {
    const at = Math.floor(random() * text.length);
    return `${text.slice(0, at)}&#${text.charCodeAt(at)};${text.slice(at + 1)}`;
  },
  // Replace white space in a tag with a slash, or the reverse.
  (text, random) => (random() < 0.5 ? text.replace(' ', '/') : text.replace('/', ' ')),
  // Put it inside another element, closed or not.
  (text, random) => {
    const wrapper = pick(WRAPPERS, random);
    return random() < 0.5 ? `<${wrapper}>${text}</${wrapper}>` : `<${wrapper}>${text}`;
  },
  // Put it after the beginning of another one.
  (text, random, others) => {
    const other = pick(others, random);
    return other.slice(0, Math.floor(random() * other.length)) + text;
  },
  // Use it as the value of an attribute, quoted correctly or not.
  (text, random) => `<p title=${random() < 0.5 ? '"' : "'"}${text}${random() < 0.5 ? '"' : "'"}>x</p>`,
  // Repeat it.
  (text) => text + text,
  // Rename a handler or break a scheme, which may leave something that is allowed.
  (text, random) =>
    text.replace(/on\w+=|javascript:|<script/i, pick(['title=', 'data-x=', 'https:', '<code'], random)),
];

/** `count` texts made from `vectors` with one to three mutations each, the same every time. */
export function mutantsOf(vectors: readonly string[], count: number): string[] {
  const random = randomNumbers(20_260_101);
  const mutants = new Set<string>();
  while (mutants.size < count) {
    let text = pick(vectors, random);
    const changes = 1 + Math.floor(random() * 3);
    for (let change = 0; change < changes; change += 1) text = pick(MUTATORS, random)(text, random, vectors);
    mutants.add(text);
  }
  return [...mutants];
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
