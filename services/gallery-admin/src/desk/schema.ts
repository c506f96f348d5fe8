import { z } from 'zod';

const section = z.object({
  state: z
    .enum(['ready', 'unavailable', 'refused', 'not_configured'])
    .describe('`refused`: it has another `DESK_KEY`.'),
});

/** The answer that says what there is at the desk. */
export const deskAnswer = z.object({
  success: z.literal(true),
  data: z.object({
    person: z.string().describe('Who is logged in, as histories name them.'),
    sections: z.object({ content: section, newsroom: section }),
    media: z.object({
      publicPrefixes: z.array(z.string()).describe('The folders whose files anybody may read at `/media/`.'),
    }),
    site: z
      .object({ url: z.string(), articlePath: z.string() })
      .nullable()
      .describe('The site that shows the articles, and the path of the page of one there.'),
  }),
});
