import { withoutApiKeys } from './hidden-keys.ts';

/**
 * The URL of a request as it is logged. An API key belongs in a header; if one is sent in the URL, the log
 * must not keep it. So a value is hidden if no route has its parameter, as in `?api_key=…`, or if it looks
 * like a key.
 *
 * @param isRefused true if the request was answered with an error: only then can there be an unknown
 * parameter
 */
export function loggedUrl(url: string, isRefused: boolean, parameters: ReadonlySet<string>): string {
  const query = url.indexOf('?');
  const shown = isRefused && query !== -1 ? withoutUnknown(url, query + 1, parameters) : url;
  return withoutApiKeys(shown);
}

function withoutUnknown(url: string, begin: number, parameters: ReadonlySet<string>): string {
  const members = url.slice(begin).split('&');
  const shown = members.map((member) => {
    const equals = member.indexOf('=');
    const isKnown = equals === -1 ? member.length < 2 : parameters.has(member.slice(0, equals));
    if (isKnown) return member;
    return equals === -1 ? '(hidden)' : `${member.slice(0, equals)}=(hidden)`;
  });
  return url.slice(0, begin) + shown.join('&');
}
