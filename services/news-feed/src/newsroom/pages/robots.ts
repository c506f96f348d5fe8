import { USER_AGENT } from '../fetching/user-agent.ts';

/** An address, and the rules of its host as {@link readRobots} returns them. */
export interface Request {
  rules: string;
  url: string;
}

/** How much of a file is read, in bytes: as much as every crawler has to (RFC 9309, section 2.5). */
const MAX_BYTES = 500 * 1024;

/** The most rules for this crawler, and the most wildcards of one; see {@link readRobots}. */
const MAX_RULES = 5000;
const MAX_WILDCARDS = 20;

/**
 * The rules of a robots.txt for this crawler (RFC 9309): of the groups that name it, or else of those for
 * all. Each is a line: `+` for what it allows or `-` for what it forbids, and its pattern. What exceeds the
 * limits forbids more than is meant: a rule with too many wildcards ends before the rest, and too many rules
 * are one that forbids everything.
 */
export function readRobots(body: Uint8Array): string {
  const groups = { own: [] as string[], all: [] as string[] };
  let isKnown = false;
  let at = { own: false, all: false, rules: false };
  for (const [key, value] of recordsOf(body)) {
    if (key === 'user-agent') {
      if (at.rules) at = { own: false, all: false, rules: false };
      const [name = ''] = /^[a-z_-]*/i.exec(value) ?? [];
      at.own ||= name.toLowerCase() === USER_AGENT.toLowerCase();
      at.all ||= value.startsWith('*');
      isKnown ||= at.own;
    } else {
      at.rules = true;
      const rule = ruleOf(key === 'allow', value);
      if (rule === undefined) continue;
      if (at.own) groups.own.push(rule);
      if (at.all) groups.all.push(rule);
    }
  }
  const rules = isKnown ? groups.own : groups.all;
  return rules.length > MAX_RULES ? '-/' : rules.join('\n');
}

/** Whether an address may be read: the longest pattern that matches decides, of equals one that allows. */
export function mayRead({ rules, url }: Request): boolean {
  const { pathname, search } = new URL(url);
  const path = normalized(pathname + search);
  let longest = '+';
  for (const rule of rules.split('\n')) {
    const more = rule.length - longest.length;
    const decides = more > 0 || (more === 0 && rule.startsWith('+'));
    if (decides && matches(rule.slice(1), path)) longest = rule;
  }
  return longest.startsWith('+');
}

/** The lines that name crawlers or are rules; others end no group. */
function* recordsOf(body: Uint8Array): Generator<[string, string]> {
  const text = new TextDecoder().decode(body.subarray(0, MAX_BYTES));
  const lines = text.split(/[\r\n]+/);
  // Half a rule could allow what the whole one forbids.
  if (body.length > MAX_BYTES) lines.pop();
  for (const line of lines) {
    const [record = ''] = line.split('#', 1);
    const colon = record.indexOf(':');
    const key = record.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (/^(user-agent|allow|disallow)$/.test(key)) yield [key, record.slice(colon + 1).trim()];
  }
}

/** Undefined for an empty value, which is no rule, and for what would allow too much. */
function ruleOf(allows: boolean, value: string): string | undefined {
  const parts = normalized(value).split(/\*+/);
  if (value === '' || (allows && parts.length > MAX_WILDCARDS + 1)) return undefined;
  return `${allows ? '+' : '-'}${parts.slice(0, MAX_WILDCARDS + 1).join('*')}`;
}

/** With the first place for each part, the rest of the path has the most left for those that follow. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = isWhole ? parts.pop() : '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (last === undefined) return at === path.length;
  return path.length - last.length >= at && path.endsWith(last);
}

/** Percent-encodes what is not ASCII, and nothing that need not be (RFC 9309, section 2.2.2). */
function normalized(path: string): string {
  return path
    .replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[\da-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });
}
