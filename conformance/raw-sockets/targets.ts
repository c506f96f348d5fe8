import type { ServiceName } from '../support/stack.ts';
import type { Target } from './framing.ts';

/** Paths that accept a POST, or refuse it with 405. */
export const TARGETS: Record<ServiceName, Target> = {
  'news-feed': { path: '/api/v1/items', status: 405 },
  'gallery-admin': { path: '/api/login', status: 400 },
  content: { path: '/api/articles', status: 401 },
};
