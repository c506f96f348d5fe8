import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The manifest of the whole, which the image carries too. */
const MANIFEST = new URL('../../../../package.json', import.meta.url);

/** The version of this build, as in `CHANGELOG.md` and in the image's tag: `1.2.3`. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(MANIFEST, 'utf8'))).version;
