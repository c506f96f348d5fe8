import { appliedMigrations, compareMigrations, readMigrations } from '@pressroom/common/database/migrations';
import { personHeaders } from '@pressroom/common/desk/person';
import { JOB_CODES, SCHEDULE_CODES } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { VERSION } from '@pressroom/common/start/version';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { BatchStore, BatchView } from '../batches/batches-store.ts';
import type { ActiveBucket } from '../buckets/bucket.ts';
import type { Section, SectionState } from '../desk.ts';
import { problemResponses } from '../problems.ts';
import type { GalleryTables } from '../tables.ts';
import { isAway, Outages, storeAnswers } from './outages.ts';

/** A backup may take this long before it counts as late, in ms; the alert `BackupOld` has the same. */
const BACKUP_GRACE_MS = 2 * 3_600_000;

/** A publication counts as late after this, in ms; the alert `PublicationsLate` has the same. */
const PUBLICATION_GRACE_MS = 5 * 60_000;

/** A schedule of the newsroom counts as late after this, in s; the alert `NewsroomLate` has the same. */
const SCHEDULE_GRACE_S = 900;

const time = z.iso.datetime({ offset: true });

const neighbour = z.object({
  state: z
    .enum(['ready', 'unavailable', 'refused', 'not_configured'])
    .describe('`unavailable`: it did not answer within 3 s. `refused`: it has another `DESK_KEY`.'),
  since: time.nullable().describe('When the gallery first noticed that it does not answer.'),
  version: z.string().nullable(),
});

const backups = z.object({
  state: z
    .enum(['none', 'late', 'failing', 'ok'])
    .describe(
      '`none`: no backup service has reported one. `late`: the next one was due two hours ago. `failing`: a step has failed.',
    ),
  reportedAt: time.nullable().describe('When the backup service last looked.'),
  newest: z.object({ madeAt: time, bytes: z.number(), encrypted: z.boolean() }).nullable(),
  kept: z.int(),
  dueAt: time.nullable().describe('When the next one is due (`BACKUP_HOUR`).'),
  verifiedAt: time.nullable().describe('When one was last restored for a test.'),
  failing: z
    .array(z.object({ step: z.string(), since: time }))
    .describe('The steps that failed last: `backup`, `media`, `copy`, `verification`.'),
  disk: z
    .object({ free: z.number(), size: z.number() })
    .nullable()
    .describe('Bytes of the disk that the backups are on.'),
});

const content = neighbour.extend({
  hooks: z.array(
    z.object({
      id: z.int(),
      host: z.string().describe('Where it goes; the whole address may hold a secret.'),
      state: z.enum(['ok', 'failing', 'paused', 'gave_up']),
      since: time.nullable().describe('When it was paused.'),
      failures: z.int().describe('Failed attempts since the last success.'),
      againAt: time.nullable().describe('When it is tried again.'),
      waiting: z.int().describe('Events that wait, 10,000 at most.'),
      waitingSince: time.nullable().describe('When the oldest of them happened.'),
    }),
  ),
  lateSince: time.nullable().describe('When an article was due that is still not published.'),
});

const newsroom = neighbour.extend({
  workers: z.int().nullable().describe('Those that were seen within a minute.'),
  lastTurnAt: time.nullable().describe('When a worker was last seen.'),
  queues: z.array(z.object({ name: z.string(), waiting: z.int(), running: z.int(), failed: z.int() })),
  schedules: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['ok', 'late', 'failing']),
      lastRunAt: time.nullable(),
      code: z.enum(SCHEDULE_CODES).nullable().describe('Why it fails, where that is known.'),
    }),
  ),
  failed: z
    .array(
      z.object({
        queue: z.string(),
        source: z.object({ id: z.int(), name: z.string() }).nullable(),
        failures: z.int(),
        againAt: time.nullable().describe('When it is tried again.'),
        code: z.enum(JOB_CODES).nullable().describe('Why it has failed.'),
      }),
    )
    .describe('What has failed, 50 at most; what is tried again first comes first.'),
});

const batch = z.object({
  id: z.uuid(),
  action: z.string(),
  code: z.string().nullable(),
  paths: z.int(),
  startedAt: time,
});

const schema = z.object({
  state: z
    .enum(['same', 'newer', 'behind', 'changed'])
    .describe(
      '`newer`: a newer release has migrated the database. `behind`: it lacks migrations of this release. `changed`: files were edited.',
    ),
  names: z.array(z.string()).describe('The migrations that make the difference.'),
});

const answer = z.object({
  success: z.literal(true),
  data: z.object({
    at: time,
    backups,
    content,
    newsroom,
    files: z.object({ running: z.int(), stopped: z.array(batch) }),
    store: z.object({ answers: z.boolean(), since: time.nullable() }),
    database: z.object({ bytes: z.number(), version: z.string() }),
    release: z.object({ version: z.string(), node: z.string(), schema }),
  }),
});

type Data = z.infer<typeof answer>['data'];

interface ConditionParts {
  db: Kysely<GalleryTables>;
  active: ActiveBucket;
  store: Pick<BatchStore, 'list'>;
  sections: { content: Section; newsroom: Section };
}

/** The operation that says how the site runs: what the metrics know, for its owners. */
export function conditionOperations({ db, active, store, sections }: ConditionParts) {
  const outages = new Outages(db);
  const read = operation({
    schema: {
      tags: ['desk'],
      operationId: 'readOperations',
      summary: 'Say how backups, workers, queues, the store and the database are',
      description:
        'What does not answer within 3 s is named as such, and the rest is told all the same. For owners; no secret is in it.',
      response: { 200: answer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async () => {
      const [fromContent, fromNewsroom, answers, batches, kept, database, release] = await Promise.all([
        askContent(sections.content),
        askNewsroom(sections.newsroom),
        storeAnswers(active),
        store.list(),
        db.selectFrom('gallery.backup_report').selectAll().executeTakeFirst(),
        readDatabase(db),
        readRelease(db),
      ]);
      const since = await outages.note({
        content: isAway(fromContent.state),
        newsroom: isAway(fromNewsroom.state),
        store: !answers,
      });
      const now = new Date();
      const sinceOf = (name: 'content' | 'newsroom' | 'store') => since.get(name)?.toISOString() ?? null;
      return {
        success: true as const,
        data: {
          at: now.toISOString(),
          backups: backupsOf(kept, now),
          content: { ...contentOf(fromContent, now), since: sinceOf('content') },
          newsroom: { ...newsroomOf(fromNewsroom), since: sinceOf('newsroom') },
          files: filesOf(batches),
          store: { answers, since: sinceOf('store') },
          database,
          release,
        },
      };
    },
  });
  return { read };
}

type Report = Selectable<GalleryTables['gallery.backup_report']> | undefined;

function backupsOf(report: Report, now: Date): Data['backups'] {
  if (report === undefined) {
    return {
      ...{ state: 'none', reportedAt: null, newest: null, kept: 0, dueAt: null, verifiedAt: null },
      ...{ failing: [], disk: null },
    };
  }
  const { made_at: madeAt, due_at: dueAt, disk_free: free, disk_size: size } = report;
  const failing = Object.entries(report.failing).map(([step, since]) => ({ step, since }));
  const isLate = dueAt !== null && now.getTime() - dueAt.getTime() > BACKUP_GRACE_MS;
  return {
    state: isLate ? 'late' : failing.length > 0 ? 'failing' : madeAt === null ? 'none' : 'ok',
    reportedAt: report.reported_at.toISOString(),
    newest: madeAt && {
      madeAt: madeAt.toISOString(),
      bytes: report.bytes ?? 0,
      encrypted: report.encrypted ?? false,
    },
    kept: report.kept,
    dueAt: dueAt?.toISOString() ?? null,
    verifiedAt: report.verified_at?.toISOString() ?? null,
    failing,
    disk: free === null || size === null ? null : { free, size },
  };
}

function contentOf(
  { state, said }: Awaited<ReturnType<typeof askContent>>,
  now: Date,
): Omit<Data['content'], 'since'> {
  const { version = null, hooks = [], nextDueAt } = said ?? {};
  const isLate = nextDueAt !== undefined && now.getTime() - Date.parse(nextDueAt) > PUBLICATION_GRACE_MS;
  return {
    ...{ state, version, lateSince: isLate ? nextDueAt : null },
    hooks: hooks.map((hook) => ({
      id: hook.id,
      host: new URL(hook.url).host,
      state:
        hook.paused_at !== null
          ? hook.pause_code === 'by_operator'
            ? ('paused' as const)
            : ('gave_up' as const)
          : hook.failures > 0
            ? ('failing' as const)
            : ('ok' as const),
      since: hook.paused_at,
      failures: hook.failures,
      againAt: hook.resume_at,
      waiting: hook.waiting,
      waitingSince: hook.waiting_since,
    })),
  };
}

function newsroomOf({
  state,
  said,
}: Awaited<ReturnType<typeof askNewsroom>>): Omit<Data['newsroom'], 'since'> {
  const {
    version = null,
    workers = null,
    lastTurnAt = null,
    queues = [],
    schedules = [],
    jobs = [],
  } = said ?? {};
  return {
    ...{ state, version, workers, lastTurnAt },
    queues: queues.map(({ name, queued, active, retrying }) => ({
      ...{ name, waiting: queued, running: active, failed: retrying },
    })),
    schedules: schedules.map(({ name, lastRunAt, lagSeconds, lastError, lastErrorCode: code }) => ({
      ...{ name, lastRunAt, code },
      state: lastError !== null ? 'failing' : lagSeconds > SCHEDULE_GRACE_S ? 'late' : 'ok',
    })),
    failed: jobs.map(({ queue, source, failures, at: againAt, code }) => ({
      ...{ queue, source, failures, againAt, code },
    })),
  };
}

function filesOf(batches: readonly BatchView[]): Data['files'] {
  const stopped = batches.filter(({ state }) => state === 'failed' || state === 'interrupted');
  return {
    running: batches.filter(({ state }) => state === 'running').length,
    stopped: stopped.map(({ id, action, code, pathCount, startedAt }) => ({
      ...{ id, action, code, startedAt, paths: pathCount },
    })),
  };
}

async function readDatabase(db: Kysely<GalleryTables>): Promise<Data['database']> {
  const { rows } = await sql<Data['database']>`
    select pg_database_size(current_database())::float8 as bytes,
      split_part(current_setting('server_version'), ' ', 1) as version
  `.execute(db);
  return rows[0] ?? { bytes: 0, version: '' };
}

async function readRelease(db: Kysely<GalleryTables>): Promise<Data['release']> {
  const [files, applied] = await Promise.all([readMigrations(), appliedMigrations(db)]);
  const { missing, changed } = compareMigrations(files, applied);
  const own = new Set(files.map(({ name }) => name));
  const newer = [...applied.keys()].filter((name) => !own.has(name)).sort();
  const found = (
    [
      ['changed', changed],
      ['behind', missing],
      ['newer', newer],
    ] as const
  ).find(([, names]) => names.length > 0);
  const [state, names] = found ?? ['same', []];
  return { version: VERSION, node: process.version, schema: { state, names: [...names] } };
}

/** The time that a service has for each answer, in ms: the page waits for all of them. */
const ANSWER_MS = 3000;

class Refused extends Error {}

/** The parts of a service's answers that are told; a release beside this one may have more, or less. */
const versionSaid = z.object({ version: z.string() });

const hooksSaid = z.object({
  data: z.array(
    z.object({
      id: z.int(),
      url: z.string(),
      failures: z.int(),
      resume_at: z.string().nullable(),
      paused_at: z.string().nullable(),
      pause_code: z.string().nullable().default(null),
      waiting: z.int(),
      waiting_since: z.string().nullable().default(null),
    }),
  ),
});

const scheduleSaid = z.object({ data: z.array(z.object({ due_at: z.string() })) });

const statusSaid = z.object({
  workers: z.int(),
  lastTurnAt: z.string().nullable().default(null),
  queues: z.array(z.object({ name: z.string(), queued: z.int(), active: z.int(), retrying: z.int() })),
  schedules: z.array(
    z.object({
      name: z.string(),
      lastRunAt: z.string().nullable(),
      lagSeconds: z.number(),
      lastError: z.string().nullable(),
      lastErrorCode: z.enum(SCHEDULE_CODES).nullable().catch(null),
    }),
  ),
});

const jobsSaid = z.object({
  jobs: z.array(
    z.object({
      queue: z.string(),
      failures: z.int(),
      at: z.string(),
      source: z.object({ id: z.int(), name: z.string() }).nullable().default(null),
      code: z.enum(JOB_CODES).nullable().catch(null),
    }),
  ),
});

/** A service's account of itself; without `said` it does not answer. */
interface Heard<Said> {
  readonly state: SectionState;
  readonly said?: Said;
}

function askContent(section: Section) {
  return heard(section, async (ask) => {
    const [own, hooksFound, planned] = await Promise.all([
      ask('/healthz', versionSaid),
      ask('/api/hooks', hooksSaid),
      ask('/api/schedule?per_page=1', scheduleSaid),
    ]);
    return { version: own.version, hooks: hooksFound.data, nextDueAt: planned.data[0]?.due_at };
  });
}

function askNewsroom(section: Section) {
  return heard(section, async (ask) => {
    const [own, work, failed] = await Promise.all([
      ask('/healthz', versionSaid),
      ask('/api/status', statusSaid),
      ask('/api/jobs', jobsSaid),
    ]);
    return { version: own.version, ...work, jobs: failed.jobs };
  });
}

type Ask = <Schema extends z.ZodType>(path: string, schema: Schema) => Promise<z.infer<Schema>>;

async function heard<Said>({ service }: Section, work: (ask: Ask) => Promise<Said>): Promise<Heard<Said>> {
  if (service === undefined) return { state: 'not_configured' };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const ask: Ask = async (path, schema) => {
    const headers = personHeaders(service.key);
    const answer = await fetch(service.url + path, { headers, redirect: 'error', signal });
    if (answer.status === 401 || answer.status === 403) throw new Refused();
    return schema.parse(await answer.json());
  };
  try {
    return { state: 'ready', said: await work(ask) };
  } catch (error) {
    return { state: error instanceof Refused ? 'refused' : 'unavailable' };
  }
}
