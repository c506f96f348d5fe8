import { text } from '@pressroom/common/fields/text';
import { z } from 'zod';

/** The body of a login; the username is counted and compared in its composed form (NFC). */
export const loginBody = z.strictObject({
  username: text(255)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 })
    .transform((value) => value.normalize('NFC')),
  password: text(1024)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 }),
});

/** The response to a login and a logout. */
export const doneAnswer = z.object({ success: z.literal(true) });
