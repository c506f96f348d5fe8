import { z } from 'zod';

/** One host that may be contacted, on one port. */
export interface HostRule {
  /** In lower case and ASCII, as URLs have it. */
  hostname: string;
  /** Empty for the default port of https. */
  port: string;
  /** True if the rule covers every host below `hostname`, but not the host itself. */
  subdomains: boolean;
}

/** Reads `host`, `host:port` or `*.host`; undefined for anything else. */
export function parseHostRule(text: string): HostRule | undefined {
  const subdomains = text.startsWith('*.');
  const host = subdomains ? text.slice(2) : text;
  if (!/^[^\s/\\?#@*%]+$/.test(host) || !URL.canParse(`https://${host}`)) return undefined;
  const { hostname, port } = new URL(`https://${host}`);
  return { hostname, port, subdomains };
}

/** True when one of `rules` names the host and port of `url`. */
export function isListed(url: URL, rules: readonly HostRule[]): boolean {
  return rules.some(({ hostname, port, subdomains }) => {
    if (url.port !== port) return false;
    return subdomains ? url.hostname.endsWith(`.${hostname}`) : url.hostname === hostname;
  });
}

/** A setting that lists hosts, separated by commas; `*.host` is only allowed with `subdomains`. */
export function hostRules({ subdomains }: { subdomains: boolean }) {
  const expected = subdomains
    ? 'hosts separated by commas, each as host, host:port or *.host'
    : 'hosts separated by commas, each as host or host:port';
  return z.string().transform((value, context): HostRule[] => {
    const rules = value.split(',').map((part) => parseHostRule(part.trim()));
    const known = rules.filter((rule) => rule !== undefined);
    if (known.length === rules.length && (subdomains || known.every((rule) => !rule.subdomains)))
      return known;
    context.addIssue(expected);
    return z.NEVER;
  });
}
