import { parse } from 'fast-querystring';

/** The parameters of a query string: a text each, or all that it has, where it is there more than once. */
type Parameters = Readonly<Record<string, unknown>>;

/**
 * Makes a reader of query strings: Fastify's own, which keeps what it read last. Clients that poll ask the same again
 * and again, and reading it anew would be a fiftieth of a cached answer. What it returns is frozen: it is not one
 * request's alone.
 */
export function queryStringReader(): (text: string) => Parameters {
  let last = '';
  let parameters: Parameters = Object.freeze(parse(last));
  return (text) => {
    if (text === last) return parameters;
    parameters = Object.freeze(parse(text));
    last = text;
    return parameters;
  };
}
