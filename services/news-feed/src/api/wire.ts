import { z } from 'zod';

/** A success body: `schemaVersion` and the given members. */
export function body<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ schemaVersion: z.literal(1), ...shape });
}

/** Wraps the members of a success body. */
export function success<Members extends object>(members: Members) {
  return { schemaVersion: 1 as const, ...members };
}
