import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { secret, setting } from '../start/config.ts';

function deskKey() {
  return secret(
    z
      .string()
      .regex(
        /^[\x21-\x7e]{32,512}$/,
        '32 to 512 visible ASCII characters, such as `openssl rand -hex 32` prints',
      ),
  ).optional();
}

/** `DESK_KEY`, for `readConfig`: services that have the same one trust what the desk says of its people. */
export const deskKeySetting = setting(
  deskKey(),
  'With it, the desk of gallery-admin writes articles and edits news in the name of the person who is logged in: the same for gallery-admin, content and the newsroom.',
  'no desk but for media',
);

/** `DESK_KEY_PREVIOUS`, for the services that the desk asks. */
export const previousDeskKeySetting = setting(
  deskKey(),
  'The previous `DESK_KEY`, which is accepted too until gallery-admin has the new one.',
);

/** The keys of the desk that a service accepts: two while one is rotated. */
export interface DeskKeys {
  DESK_KEY?: string | undefined;
  DESK_KEY_PREVIOUS?: string | undefined;
}

/** True if a request with the key `given` comes from the desk, compared in constant time. */
export function isDeskKey(given: string, { DESK_KEY, DESK_KEY_PREVIOUS }: DeskKeys): boolean {
  const one = Buffer.from(given);
  return [DESK_KEY, DESK_KEY_PREVIOUS].some((key) => {
    const other = Buffer.from(key ?? '');
    return key !== undefined && one.length === other.length && timingSafeEqual(one, other);
  });
}
