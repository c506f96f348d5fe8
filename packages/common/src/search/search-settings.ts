import { integer, setting } from '../start/config.ts';

/** The setting for the most concurrent searches. */
export const searchConcurrency = setting(
  integer(1, 1000).default(4),
  'Concurrent searches per process, on separate connections; further ones get 503.',
);
