import type { Fetch } from './api-client.ts';

/**
 * `fetch` that keeps the cookies of the one service that it is used with, for Node, whose `fetch` keeps none.
 * A cookie that the service clears is forgotten; paths and domains are not looked at.
 */
export function withCookies(send: Fetch = fetch): Fetch {
  const jar = new Map<string, string>();
  return async (url, init) => {
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await send(url, { ...init, headers });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  };
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const [name = '', ...value] = pair.split('=');
  const ends = attributes.some((attribute) => {
    const [key = '', when = ''] = attribute.trim().split('=');
    if (/^max-age$/i.test(key)) return Number(when) <= 0;
    return /^expires$/i.test(key) && Date.parse(when) <= Date.now();
  });
  if (ends) jar.delete(name.trim());
  else jar.set(name.trim(), value.join('='));
}
