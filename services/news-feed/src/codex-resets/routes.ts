import { Perishable, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { Server } from '@pressroom/common/http/server';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOT_MODIFIED } from '../bodiless.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Clock } from '../clock.ts';
import { addDays, SHANGHAI, shanghaiDate, startOfDay } from '../shanghai-calendar.ts';
import { success } from '../wire.ts';
import { derivePresentation } from './presentation.ts';
import { codexResetsAnswer } from './schema.ts';
import type { ResetHistory, ResetStore } from './store.ts';

/** How many Shanghai days the recent events are of, today included. */
const RECENT_DAYS = 7;

/** What the routes of the reset tracking need. */
export interface CodexResetRoutes {
  resets: ResetStore;
  cache: RepresentationCache;
  clock: Clock;
}

/** `/api/v1/codex-resets`: what is known of resets of usage limits (`docs/spec/wire.md`, "Reset tracking"). */
export function addCodexResetRoutes(app: Server, { resets, cache, clock }: CodexResetRoutes): void {
  const response = {
    200: codexResetsAnswer,
    ...NOT_MODIFIED,
    ...problemResponses(400, 403, 405, 429, 503),
  };
  const reply = (request: FastifyRequest, to: FastifyReply, since: (today: string) => Date | undefined) =>
    replyConditionally(request, to, {
      cacheControl: CACHE_CONTROL.codexResets,
      cache,
      load: async () => {
        const now = clock();
        return answer(await resets.read(since(shanghaiDate(now))), now);
      },
    });
  app.get(
    '/api/v1/codex-resets',
    { schema: { tags: ['codex resets'], summary: 'List all reset events and activities', response } },
    (request, to) => reply(request, to, () => undefined),
  );
  app.get(
    '/api/v1/codex-resets/recent',
    {
      schema: {
        tags: ['codex resets'],
        summary:
          'List the reset events updated in the last 7 Shanghai days and those waiting to land, with the posts of these days',
        response,
      },
    },
    (request, to) => reply(request, to, (today) => startOfDay(addDays(today, 1 - RECENT_DAYS))),
  );
}

/** The answer at `now`, true until a presentation changes with time or the day ends. */
function answer({ events, activities, firstCreatedAt, ...state }: ResetHistory, now: Date): Perishable {
  const today = shanghaiDate(now);
  const derived = events.map((event) => ({ event, ...derivePresentation(event, now) }));
  const ends = derived.flatMap(({ until }) => (until === undefined ? [] : [until.getTime()]));
  const value = success({
    timezone: SHANGHAI,
    today,
    checkedAt: state.checkedAt,
    historyFrom: shanghaiDate(firstCreatedAt ?? now),
    count: events.length,
    events: derived.map(({ event, presentation }) => ({ ...event, presentation })),
    activities,
    outage: state.outage,
    monitor: state.monitor,
  });
  return new Perishable(value, new Date(Math.min(startOfDay(addDays(today, 1)).getTime(), ...ends)));
}
