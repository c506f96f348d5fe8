/** Paths that monitoring asks for every few seconds, at rest as under load. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
