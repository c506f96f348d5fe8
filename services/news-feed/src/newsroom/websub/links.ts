/** The links by which a feed says where its changes are announced (WebSub, "Discovery"). */
export interface HubLinks {
  hub: string;
  /** The feed's own name for itself, which the hub knows it by. */
  topic: string;
}

/** A link of a feed or of a `Link` header (RFC 8288). */
interface Link {
  href?: string | undefined;
  rel?: string | undefined;
}

/**
 * The first hub that the `Link` header names, else the first of the feed's own links; undefined if neither
 * names one with an http address, or if the topic would be too long an address.
 *
 * @param url the address that answered: the topic if no link says `self`
 */
export function hubLinks(
  header: string | undefined,
  own: readonly Link[],
  url: string,
): HubLinks | undefined {
  const links = [...linksOf(header ?? ''), ...own];
  const hub = target(links, 'hub', url);
  const topic = target([...links, { href: url, rel: 'self' }], 'self', url);
  return hub === undefined || topic === undefined ? undefined : { hub, topic };
}

function linksOf(header: string): Link[] {
  return [...header.matchAll(/<([^>]*)>((?:[^,"]|"[^"]*")*)/g)].map(([, href, parameters = '']) => ({
    href,
    rel: /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)?.slice(1).find(Boolean),
  }));
}

function target(links: readonly Link[], rel: string, base: string): string | undefined {
  for (const link of links) {
    if (!link.rel?.toLowerCase().split(/\s+/).includes(rel)) continue;
    const url = URL.parse(link.href?.trim() ?? '', base);
    if (url !== null && /^https?:$/.test(url.protocol) && url.href.length <= 2048) return url.href;
  }
  return undefined;
}
