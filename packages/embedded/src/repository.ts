import { fileURLToPath } from 'node:url';

/** Absolute path of the repository's root. */
export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
