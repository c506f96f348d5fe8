import { text } from '@pressroom/common/fields/text';
import { z } from 'zod';

/** The body of a login. */
export const loginBody = z.object({
  username: text(255)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 }),
  password: text(1024)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 }),
});

/** What a login and a logout answer. */
export const doneAnswer = z.object({ success: z.literal(true) });
