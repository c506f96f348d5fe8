import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { secret, setting } from '../start/config.ts';

/** `DESK_KEY`, for `readConfig`: services that have the same one trust what the desk says of its people. */
export const deskKeySetting = setting(
  secret(
    z
      .string()
      .regex(
        /^[\x21-\x7e]{32,512}$/,
        '32 to 512 visible ASCII characters, such as `openssl rand -hex 32` prints',
      ),
  ).optional(),
  'With it, the desk of gallery-admin writes articles and edits news in the name of the person who is logged in: the same for gallery-admin, content and the newsroom.',
  'no desk but for media',
);

/** Whether a request with the key `given` comes from the desk, compared in constant time. */
export function isDeskKey(given: string, key: string | undefined): boolean {
  if (key === undefined) return false;
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
