import { personHeaders } from '@pressroom/common/desk/person-header';
import type { GalleryConfig } from '../config.ts';
import { CONTENT_ROUTES, NEWSROOM_ROUTES, type PassedRoute } from './passed-routes.ts';

/** A part of the desk that another service does the work of. */
export interface Section {
  readonly name: 'content' | 'newsroom';
  /** Where the service is, and what it knows the desk by; undefined if that is not configured. */
  readonly service: { readonly url: string; readonly headers: Record<string, string> } | undefined;
  readonly routes: readonly PassedRoute[];
  /** A path that shows whether it answers and knows the desk. */
  readonly probe: string;
}

/** How a section is. */
export type SectionState = 'ready' | 'unavailable' | 'refused' | 'not_configured';

/** How long a section may take to show how it is, in ms. */
const PROBE_MS = 2000;

/** The sections, as they are configured. */
export function sectionsOf({
  CONTENT_URL,
  NEWSROOM_URL,
  DESK_KEY: key,
  ADMIN_USERNAME: person,
}: GalleryConfig): { content: Section; newsroom: Section } {
  const at = (url: string | undefined) =>
    url === undefined || key === undefined ? undefined : { url, headers: personHeaders(key, person) };
  return {
    content: {
      name: 'content',
      service: at(CONTENT_URL),
      routes: CONTENT_ROUTES,
      probe: '/api/articles?status=all&fields=id&per_page=1',
    },
    newsroom: {
      name: 'newsroom',
      service: at(NEWSROOM_URL),
      routes: NEWSROOM_ROUTES,
      probe: '/api/vocabulary',
    },
  };
}

/** Asks a section how it is. */
export async function stateOf({ service, probe }: Section): Promise<SectionState> {
  if (service === undefined) return 'not_configured';
  try {
    const { status, body } = await fetch(service.url + probe, {
      headers: service.headers,
      redirect: 'error',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await body?.cancel();
    if (status === 401 || status === 403) return 'refused';
    return status === 200 || status === 429 ? 'ready' : 'unavailable';
  } catch {
    return 'unavailable';
  }
}
