import { text } from '@pressroom/common/fields/text';
import { z } from 'zod';

/** The body of a login; the username in its composed form (NFC), in which it is counted and compared. */
export const loginBody = z.strictObject({
  username: text(255)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 })
    .transform((value) => value.normalize('NFC')),
  password: text(1024)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 }),
});

/** What a login and a logout answer. */
export const doneAnswer = z.object({ success: z.literal(true) });
