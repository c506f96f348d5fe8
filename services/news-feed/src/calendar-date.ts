import { z } from 'zod';

/** A calendar date in Shanghai, `YYYY-MM-DD`. */
export const calendarDate = z.iso.date();
