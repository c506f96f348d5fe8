import { parse } from 'fast-querystring';
import { invalidRequest, type Problem } from '../problems/problem.ts';

/** The parameters of a query string: each a text, or a list if it occurs more than once. */
type Parameters = Readonly<Record<string, unknown>>;

/** Represents the parameters of a query string that cannot be read. */
class UnreadableQuery {
  /** The error message for the client. */
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

/** The error in `text`; undefined if every member has a name and can be decoded. */
function faultOf(text: string): string | undefined {
  for (const member of text.split('&')) {
    if (member === '') return 'it has an empty parameter; remove the extra "&"';
    const equals = member.indexOf('=');
    const name = equals === -1 ? member : member.slice(0, equals);
    if (name === '') return 'it has a value without a name';
    if (!isDecodable(name)) return 'the name of a parameter is not percent-encoded UTF-8 (RFC 3986)';
    if (!isDecodable(member)) return `"${decodeURIComponent(name)}" is not percent-encoded UTF-8 (RFC 3986)`;
  }
  return undefined;
}

/**
 * Parses a query string. If it cannot be read, returns a marker that {@link queryProblem} refuses: parsing
 * happens before all hooks, when no answer can be sent yet.
 */
export function readQueryString(text: string): Parameters | UnreadableQuery {
  const fault = text === '' ? undefined : faultOf(text);
  return fault === undefined ? parse(text) : new UnreadableQuery(fault);
}

/**
 * The problem of a query string that cannot be read (`docs/spec/wire.md`, "All three services"): a different
 * spelling would be a different entry in every cache on the way.
 */
export function queryProblem(query: unknown): Problem | undefined {
  return query instanceof UnreadableQuery ? invalidRequest(`query string: ${query.fault}`) : undefined;
}
