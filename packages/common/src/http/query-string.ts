import { parse } from 'fast-querystring';
import { invalidRequest, type Problem } from '../problems/problem.ts';

/** The parameters of a query string: a text each, or all that it has, where it is there more than once. */
type Parameters = Readonly<Record<string, unknown>>;

/** What stands for the parameters of a query string that cannot be read. */
class UnreadableQuery {
  /** What is wrong with it, for the client. */
  readonly fault: string;

  constructor(fault: string) {
    this.fault = fault;
  }
}

/** True for text that is percent-encoded UTF-8, or needs no encoding (RFC 3986, section 2.1). */
function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** True for nearly all query strings: members that each have a name, and nothing to decode. */
function isPlain(text: string): boolean {
  if (text.includes('%') || text.includes('&&') || text.includes('&=')) return false;
  return !text.startsWith('&') && !text.startsWith('=') && !text.endsWith('&');
}

/** What is wrong with `text`; undefined for a query string of members that each have a name and can be decoded. */
function faultOf(text: string): string | undefined {
  for (const member of text.split('&')) {
    if (member === '') return 'it has an empty member; remove the "&" that nothing follows or precedes';
    const equals = member.indexOf('=');
    const name = equals === -1 ? member : member.slice(0, equals);
    if (name === '') return 'it has a value without a name';
    if (!isDecodable(name)) return 'the name of a parameter is not percent-encoded UTF-8 (RFC 3986)';
    if (!isDecodable(member)) return `"${decodeURIComponent(name)}" is not percent-encoded UTF-8 (RFC 3986)`;
  }
  return undefined;
}

/**
 * Reads a query string. What cannot be read becomes a mark in the place of the parameters, which
 * {@link queryProblem} refuses: it is read before any hook, where nothing could be answered yet.
 */
export function readQueryString(text: string): Parameters | UnreadableQuery {
  const fault = text === '' || isPlain(text) ? undefined : faultOf(text);
  return fault === undefined ? parse(text) : new UnreadableQuery(fault);
}

/**
 * The problem of a query string that cannot be read (`docs/spec/wire.md`, "All three services"): another spelling of it
 * would be another entry of every cache in between.
 */
export function queryProblem(query: unknown): Problem | undefined {
  return query instanceof UnreadableQuery ? invalidRequest(`query string: ${query.fault}`) : undefined;
}
