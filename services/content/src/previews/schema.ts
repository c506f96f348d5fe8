import { idParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { envelope } from '../envelope.ts';

/** How long a link may work, in seconds: from an hour to 30 days. */
const [SHORTEST, LONGEST] = [3600, 30 * 24 * 3600];

/** How long a link works unless the request says otherwise, in seconds: a day. */
const USUAL = 24 * 3600;

const expected = `must be a whole number of seconds from ${SHORTEST} to ${LONGEST}`;

const timestamp = z.iso.datetime({ offset: true });

/** Body of `POST`. */
export const previewCreate = z.strictObject({
  expires_in: z
    .int(expected)
    .min(SHORTEST, expected)
    .max(LONGEST, expected)
    .default(USUAL)
    .describe('How long the link works, in seconds.'),
});

const preview = z.object({ id: z.int(), created_at: timestamp, expires_at: timestamp });

/** Path of one preview. */
export const previewPath = z.object({ id: idParameter(), preview_id: idParameter() });

/** Answer of `POST`: the only one that has the token. */
export const previewCreatedAnswer = envelope(
  preview.extend({
    token: z
      .string()
      .describe('Shown only once. `?preview=TOKEN` on a read of the article shows it as last saved.'),
  }),
);

/** Answer of the list. */
export const previewListAnswer = envelope(z.array(preview));
