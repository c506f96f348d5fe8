import { asUri } from './addresses.ts';
import type { ResolvedRedirect } from './store.ts';

/** A key and its value of a `map` of nginx; in a value, `$` begins a variable. */
export function nginxPair(from: string, to: string): string {
  return `"${quoted(from)}" "${quoted(to).replaceAll('$', '%24')}";\n`;
}

function quoted(text: string): string {
  return text.replaceAll(/["\\]|[^\S ]/g, encodeURIComponent);
}

/** The most characters of a key or value: nginx refuses a configuration that has more in one. */
const MOST = 4000;

/**
 * The redirects as `map` blocks of nginx: `$pressroom_moved` and `$pressroom_found` are where an address
 * leads with 301 and 302, `$pressroom_gone` is set for 410. What nginx would not load is left out.
 */
export function nginxMaps(redirects: readonly ResolvedRedirect[]): string {
  const pairs = redirects.flatMap(({ from, answer }): [string, string][] => {
    if (answer === null) return [];
    const value = answer.location === null ? '410' : `${answer.status} ${answer.location}`;
    return spellings(asUri(from)).map((key) => [key, value]);
  });
  const spelt = Map.groupBy(pairs, ([key]) => key.toLowerCase());
  const lines = (isWanted: (key: string) => boolean) =>
    pairs
      .filter(([key]) => isWanted(key))
      .map(
        ([key, value]) =>
          [(spelt.get(key.toLowerCase()) ?? []).length > 1 ? exactly(key) : key, value] as const,
      )
      .filter((pair) => pair.every((text) => quoted(text).length <= MOST))
      .map(([key, value]) => `  ${nginxPair(key, value)}`)
      .join('');
  return `# Of a request that no line has, the address without its query decides.
map $request_uri $pressroom_path { "~^(?<pressroom_path_only>[^?]*)" $pressroom_path_only; }
map $pressroom_path $pressroom_by_path {
${lines((key) => !key.includes('?'))}}
map $request_uri $pressroom_redirect {
  default $pressroom_by_path;
${lines((key) => key.includes('?'))}}
map $pressroom_redirect $pressroom_moved { "~^301 (?<pressroom_moved_to>.*)$" $pressroom_moved_to; }
map $pressroom_redirect $pressroom_found { "~^302 (?<pressroom_found_at>.*)$" $pressroom_found_at; }
map $pressroom_redirect $pressroom_gone { 410 1; }
`;
}

/** Visitors leave out the slash at the end of a path, or add it. */
function spellings(uri: string): string[] {
  const [path = '', ...query] = uri.split(/(?=\?)/);
  return path === '/' ? [uri] : [uri, `${path}/${query.join('')}`];
}

/** A pattern for this key alone, where another differs from it only in its case. */
function exactly(key: string): string {
  return `~^${key.replaceAll(/[^\w%/-]/g, '[$&]')}$`;
}
