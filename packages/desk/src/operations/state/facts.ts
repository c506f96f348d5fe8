import { ApiProblem } from '../../shared/api/problem.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Condition, Retried } from '../api/operations.ts';
import type { TextName, Texts } from '../text/texts.ts';

/** A sentence about the site, since or until when, and what to do if it is not in order. */
export interface Fact {
  readonly words: string;
  readonly isBad?: boolean;
  readonly todo?: string;
  readonly at?: string | null;
  readonly retry?: Retried;
}

/** Facts on one subject. */
export interface Facts {
  readonly title: TextName;
  readonly facts: readonly Fact[];
}

/** Below this part of a disk it is to be looked at; the alert `DiskFills` has the same. */
const DISK_LEFT = 0.15;

/** The page's facts, the subjects in the order in which their loss hurts most. */
export function factsOf(condition: Condition, texts: Texts): readonly Facts[] {
  return [
    { title: 'backups', facts: backupFacts(condition, texts) },
    { title: 'articles', facts: contentFacts(condition, texts) },
    { title: 'news', facts: newsroomFacts(condition, texts) },
    { title: 'media', facts: mediaFacts(condition, texts) },
    { title: 'database', facts: databaseFacts(condition, texts) },
  ];
}

function backupFacts({ backups }: Condition, texts: Texts): Fact[] {
  const { say } = texts;
  const { state, newest, dueAt, verifiedAt, failing, kept, disk } = backups;
  const failed = failing.map(({ step, since }): Fact => {
    return { words: say(`step_${step}` as TextName), isBad: true, at: since, todo: say('stepDo') };
  });
  if (newest === null) {
    const none = { words: say('backupNone'), isBad: true, todo: say('backupNoneDo') };
    return failed.length > 0 ? failed : [none];
  }
  const size = texts.size(newest.bytes);
  return [
    ...(state === 'late'
      ? [{ words: say('backupLate'), isBad: true, at: dueAt, todo: say('backupLateDo') }]
      : []),
    ...failed,
    { words: say(newest.encrypted ? 'backupNewestSealed' : 'backupNewest', { size }), at: newest.madeAt },
    ...(state === 'late' ? [] : [{ words: say('backupDue'), at: dueAt }]),
    { words: say(verifiedAt === null ? 'backupUnverified' : 'backupVerified'), at: verifiedAt },
    { words: say('backupKept', { count: kept }) },
    ...(disk === null ? [] : [diskFact(disk, texts)]),
  ];
}

function diskFact({ free, size }: { free: number; size: number }, texts: Texts): Fact {
  const { say } = texts;
  const words = say('diskLeft', { free: texts.size(free), size: texts.size(size) });
  return free < DISK_LEFT * size ? { words, isBad: true, todo: say('diskLeftDo') } : { words };
}

function serviceFact(name: 'content' | 'newsroom', { [name]: service }: Condition, { say }: Texts): Fact {
  const { state, since: at } = service;
  const words = say(`${name}_${state}`);
  if (state === 'unavailable') return { words, isBad: true, at, todo: say('awayDo') };
  return state === 'refused' ? { words, isBad: true, at, todo: say('refusedDo') } : { words };
}

function contentFacts(condition: Condition, texts: Texts): Fact[] {
  const { say } = texts;
  const { state, hooks, lateSince: at } = condition.content;
  const service = serviceFact('content', condition, texts);
  if (state !== 'ready') return [service];
  const working = hooks.filter((hook) => hook.state === 'ok').length;
  return [
    service,
    at === null
      ? { words: say('published') }
      : { words: say('publishedLate'), isBad: true, at, todo: say('publishedLateDo') },
    ...hooks.flatMap((hook) => hookFact(hook, texts)),
    ...(hooks.length === 0 ? [{ words: say('hooksNone') }] : []),
    ...(working > 0 ? [{ words: say('hooksWork', { count: working }) }] : []),
    ...(hooks.length > 0 ? [waitingFact(hooks, texts)] : []),
  ];
}

type Hook = Condition['content']['hooks'][number];

function hookFact(hook: Hook, { say }: Texts): Fact[] {
  const { id, state, host, failures: count, waiting, since, againAt } = hook;
  if (state === 'ok') return [];
  const queue = waiting === 0 ? '' : ` ${say('eventsWait', { count: waiting })}`;
  const retry = { kind: 'hook', id } as const;
  if (state === 'paused') return [{ words: say('hookPaused', { host }) + queue, at: since }];
  const isFailing = state === 'failing';
  const words = isFailing ? say('hookFails', { host, count }) : say('hookGaveUp', { host });
  return [{ words: words + queue, at: isFailing ? againAt : since, isBad: true, todo: say('hookDo'), retry }];
}

function waitingFact(hooks: readonly Hook[], { say }: Texts): Fact {
  const count = hooks.reduce((sum, { waiting }) => sum + waiting, 0);
  const [at = null] = hooks.flatMap(({ waitingSince }) => waitingSince ?? []).sort();
  return count === 0 ? { words: say('eventsNone') } : { words: say('eventsAll', { count }), at };
}

function newsroomFacts(condition: Condition, texts: Texts): Fact[] {
  const { say } = texts;
  const { state, workers, lastTurnAt, queues, schedules, failed } = condition.newsroom;
  const service = serviceFact('newsroom', condition, texts);
  if (state !== 'ready') return [service];
  const overdue = schedules.filter((schedule) => schedule.state !== 'ok');
  return [
    service,
    workers === 0 || workers === null
      ? { words: say('workersNone'), isBad: true, at: lastTurnAt, todo: say('workersNoneDo') }
      : { words: say('workers', { count: workers }), at: lastTurnAt },
    ...(overdue.length === 0 ? [{ words: say('schedulesOk') }] : []),
    ...overdue.map((schedule): Fact => {
      const { code, lastRunAt: at } = schedule;
      const name = say(`schedule_${schedule.name}` as TextName);
      const words = say(schedule.state === 'late' ? 'scheduleLate' : 'scheduleFails', { name });
      return {
        words,
        isBad: true,
        at,
        todo: say(code === 'temporarily_unavailable' ? 'scheduleWaits' : 'scheduleDo'),
      };
    }),
    ...failed.flatMap((job) => jobFact(job, texts)),
    ...queues.map(({ name, ...counts }) => ({
      words: say('queueState', { name: say(`queue_${name}` as TextName), ...counts }),
    })),
  ];
}

const JOB_WORDS: Readonly<Record<string, TextName>> = {
  poll: 'sourceFails',
  edit: 'entryFails',
  websub: 'hubFails',
  notice: 'noticeFails',
};

/** Schedules that failed are said by themselves. */
function jobFact(job: Condition['newsroom']['failed'][number], texts: Texts): Fact[] {
  const { say } = texts;
  const { queue, source, failures: count, againAt: at, code } = job;
  const words = JOB_WORDS[queue];
  if (words === undefined) return [];
  const name = source === null ? '' : texts.name(source.name);
  const why = code === null ? '' : `${say(`problem_${code}` as TextName)} `;
  const isPoll = queue === 'poll' && source !== null;
  return [
    {
      words: say(words, { name, count }),
      ...{ isBad: true, at, todo: `${why}${say('againAt')}.` },
      ...(isPoll && { retry: { kind: 'source', id: source.id } }),
    },
  ];
}

function mediaFacts({ store, files }: Condition, { say }: Texts): Fact[] {
  const { running: count, stopped } = files;
  return [
    store.answers
      ? { words: say('storeAnswers') }
      : { words: say('storeAway'), isBad: true, at: store.since, todo: say('storeAwayDo') },
    ...stopped.map(({ id, paths, startedAt, code }): Fact => {
      const words = say('batchStopped', { count: paths });
      const why = code !== null && { todo: problemWords(new ApiProblem(409, code, ''), say) };
      return { words, ...why, isBad: true, at: startedAt, retry: { kind: 'batch', id } };
    }),
    ...(count > 0 ? [{ words: say('batchesRun', { count }) }] : []),
    ...(count + stopped.length === 0 ? [{ words: say('batchesNone') }] : []),
  ];
}

function databaseFacts({ database, release, content, newsroom }: Condition, texts: Texts): Fact[] {
  const { say } = texts;
  const { version: own, node, schema } = release;
  const others = [
    ['otherContent', content.version],
    ['otherNewsroom', newsroom.version],
  ] as const;
  const names = texts.list(schema.names);
  const words = say(`schema_${schema.state}`, { names });
  return [
    { words: say('databaseSize', { size: texts.size(database.bytes) }) },
    schema.state === 'same' ? { words } : { words, isBad: true, todo: say(`schemaDo_${schema.state}`) },
    ...others.flatMap(([text, version]): Fact[] =>
      version === null || version === own
        ? []
        : [{ words: say(text, { version, own }), isBad: true, todo: say('otherDo') }],
    ),
    { words: say('release', { version: own, node: node.replace(/^v/, '') }) },
    { words: say('databaseVersion', { version: database.version }) },
  ];
}
