/** The address as typed or pasted, without the site's own origin. */
export function onSite(text: string, siteOrigin: string | undefined): string {
  const typed = text.trim();
  const url = /^https?:\/\//i.test(typed) ? URL.parse(typed) : null;
  if (url === null || (siteOrigin !== undefined && url.host !== new URL(siteOrigin).host)) return typed;
  return url.pathname + url.search;
}

/** The path of an address that {@link onSite} left as that of another site. */
export function pathElsewhere(address: string): string | undefined {
  return /^https?:\/\//i.test(address) ? URL.parse(address)?.pathname : undefined;
}

/** An address as people write it: letters of any script as themselves, what nobody could see encoded. */
export function readable(address: string): string {
  return address.replace(/(?:%[89a-f][0-9a-f])+/gi, (encoded) => {
    try {
      const text = decodeURIComponent(encoded);
      return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u.test(text) ? text : encoded;
    } catch {
      return encoded;
    }
  });
}
