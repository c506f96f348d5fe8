import { z } from 'zod';
import { PRIVATE } from '../caching/conditional.ts';
import { Failure } from '../failures/failure.ts';
import { problemResponses, temporarilyUnavailable } from '../problems/problem.ts';
import { VERSION } from '../start/version.ts';
import { HEALTH_TAG } from './description.ts';
import type { Server } from './operation.ts';

/**
 * Rejects if a dependency cannot be used: with a `Failure` whose message says what is missing, or with any
 * other error if it does not answer.
 */
export type ReadinessCheck = () => Promise<void>;

const health = z.object({
  status: z.literal('ok'),
  version: z.string().describe('The release that runs, as CHANGELOG.md names it.'),
});

const readiness = z.object({
  status: z.enum(['ok', 'degraded']),
  degraded: z
    .array(z.string())
    .optional()
    .describe('Dependencies that do not answer but can be fixed while the service runs.'),
});

/**
 * `/healthz`: the process is alive, and which version it is; restart it when this fails. `/readyz`: its
 * dependencies answer and the database has what this build needs; send it requests only while this is 200. A
 * failed check of `degrading` leaves it 200 and is named in the body, because it is fixed through this
 * service. Neither is ever cached or counted.
 */
export function addHealth(
  app: Server,
  checks: Record<string, ReadinessCheck>,
  degrading: Record<string, ReadinessCheck> = {},
): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        tags: [HEALTH_TAG],
        summary: 'The process is alive',
        description: 'It asks no dependency: a process that does not answer here should be started again.',
        response: { 200: health, ...problemResponses(400) },
      },
    },
    async (_request, reply) =>
      reply.header('cache-control', PRIVATE).send({ status: 'ok', version: VERSION }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        tags: [HEALTH_TAG],
        summary: 'The service is ready for requests',
        description:
          '503 while a dependency does not answer: requests should go to another replica. This one' +
          ' recovers by itself, so it should not be restarted.',
        response: { 200: readiness, ...problemResponses(400, 503) },
      },
    },
    async (_request, reply) => {
      for (const [name, check] of Object.entries(checks)) {
        await check().catch((error: unknown) => {
          if (error instanceof Failure) throw error;
          throw temporarilyUnavailable(`${name} does not answer`, 1, { cause: error });
        });
      }
      const degraded = await failing(degrading);
      reply.header('cache-control', PRIVATE);
      return degraded.length === 0 ? { status: 'ok' as const } : { status: 'degraded' as const, degraded };
    },
  );
}

/** The names of the failed checks. */
export async function failing(checks: Record<string, ReadinessCheck>): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(([name, check]) =>
      check().then(
        () => [],
        () => [name],
      ),
    ),
  );
  return results.flat();
}
