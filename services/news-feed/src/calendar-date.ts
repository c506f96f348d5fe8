import { z } from 'zod';

/** A calendar date, `YYYY-MM-DD`. */
export const calendarDate = z.iso.date();
