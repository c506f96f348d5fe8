import { hash } from 'node:crypto';

/**
 * The id of a new item: a UUID of version 8 (RFC 9562) from the time of discovery and the canonical address.
 * Ids decide between equals in rankings and reports, so the same feeds always end in the same news.
 */
export function itemId(canonicalUrl: string, discoveredAt: Date): string {
  const time = discoveredAt.getTime().toString(16).padStart(12, '0').slice(-12);
  const digits = hash('sha256', canonicalUrl);
  const variant = ((Number.parseInt(digits.slice(3, 4), 16) & 0b0011) | 0b1000).toString(16);
  const parts = [
    time.slice(0, 8),
    time.slice(8),
    `8${digits.slice(0, 3)}`,
    `${variant}${digits.slice(4, 7)}`,
  ];
  return [...parts, digits.slice(7, 19)].join('-');
}
