import { type LoadedValue, type ReplyOf, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { addDays, SHANGHAI } from '../../calendar.ts';
import type { Clock } from '../../clock.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import { success } from '../wire.ts';
import { derivePresentation } from './presentation.ts';
import { codexResetsAnswer } from './schema.ts';
import type { ResetHistory, ResetStore } from './store.ts';

/** How many Shanghai days the recent events cover, including today. */
const RECENT_DAYS = 7;

/** The dependencies of the operations of the reset tracking. */
export interface CodexResetParts {
  resets: ResetStore;
  cache: RepresentationCache;
  clock: Clock;
}

/** The operations of the reset tracking (`docs/spec/wire.md`, "Reset tracking"). */
export function codexResetOperations({ resets, cache, clock }: CodexResetParts) {
  const response = {
    200: codexResetsAnswer,
    ...NOT_MODIFIED,
    ...problemResponses(400, 403, 405, 429, 503),
  };
  const reply = (
    request: FastifyRequest,
    to: ReplyOf<{ response: typeof response }>,
    since: (today: string) => Date | undefined,
  ) =>
    replyConditionally(request, to, {
      cacheControl: CACHE_CONTROL.codexResets,
      cache,
      load: async () => {
        const now = clock();
        const from = since(SHANGHAI.date(now));
        return answer(await resets.read(from), from, now);
      },
    });
  const all = operation({
    schema: {
      tags: ['codex resets'],
      operationId: 'listCodexResets',
      summary: 'List all reset events and activities',
      response,
    },
    handler: (request, to) => reply(request, to, () => undefined),
  });
  const recent = operation({
    schema: {
      tags: ['codex resets'],
      operationId: 'listRecentCodexResets',
      summary:
        'List the reset events updated in the last 7 Shanghai days and the pending ones, each with the posts of these days, or with its newest',
      response,
    },
    handler: (request, to) =>
      reply(request, to, (today) => SHANGHAI.startOfDay(addDays(today, 1 - RECENT_DAYS))),
  });
  return { all, recent };
}

/**
 * The answer at `now` with what is known since `from`, valid until a presentation changes with time or the
 * day ends.
 */
function answer(
  { events, activities, firstCreatedAt, ...state }: ResetHistory,
  from: Date | undefined,
  now: Date,
): LoadedValue<z.output<typeof codexResetsAnswer>> {
  const today = SHANGHAI.date(now);
  const derived = events.map((event) => ({ event, ...derivePresentation(event, now) }));
  const ends = derived.flatMap(({ until }) => (until === undefined ? [] : [until.getTime()]));
  const value = success({
    timezone: SHANGHAI.zone,
    today,
    checkedAt: state.checkedAt,
    historyFrom: SHANGHAI.timestamp(from ?? firstCreatedAt ?? SHANGHAI.startOfDay(today)),
    count: events.length,
    events: derived.map(({ event, presentation }) => ({ ...event, presentation })),
    activities,
    outage: state.outage,
    monitor: state.monitor,
  });
  return { value, expiresAt: new Date(Math.min(SHANGHAI.startOfDay(addDays(today, 1)).getTime(), ...ends)) };
}
