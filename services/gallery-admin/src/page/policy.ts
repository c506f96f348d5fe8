/**
 * The Content-Security-Policy of the gallery's page: its own scripts and styles, and, for media and uploads,
 * the origin of the active bucket.
 *
 * @param store the origin from which browsers read the bucket; empty if it is unknown
 */
export function pagePolicy(store: string): string {
  const own = store === '' ? "'self'" : `'self' ${store}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${own} blob:`,
    `media-src ${own}`,
    `connect-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
