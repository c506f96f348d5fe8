import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import type { TrailEntry, TrailFilter } from '../api/people.ts';
import { usePeople } from '../people-context.ts';
import type { TextName } from '../text/texts.ts';
import { Page } from './pages.tsx';
import { deedOf, doerOf, objectOf } from './words.ts';

/** The filters of each trail, by the prefix of the actions' names. */
const KINDS = {
  desk: [
    ['', 'anything'],
    ['login', 'kind_login'],
    ['person', 'kind_person'],
    ['upload', 'kind_upload'],
    ['objects', 'kind_objects'],
    ['bucket', 'kind_bucket'],
    ['news', 'kind_news'],
  ],
  articles: [
    ['', 'anything'],
    ['article.', 'kind_article'],
    ['site.', 'site'],
    ['key.', 'keys'],
    ['hook.', 'hooks'],
    ['release.', 'kind_release'],
    ['preview.', 'kind_preview'],
  ],
} as const satisfies Record<TrailFilter['of'], readonly (readonly [string, TextName])[]>;

/** The pause in typing after which the search begins, in ms. */
const PAUSE_MS = 300;

export function TrailPage() {
  const { address, api, connection, texts } = usePeople();
  const { say } = texts;
  const [filter, setFilter] = useState<TrailFilter>({ of: 'desk' });
  const [entries, setEntries] = useState<readonly TrailEntry[]>();
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiProblem>();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    void api.list().then(
      (people) => setNames(new Map(people.map(({ id, name }) => [id, name]))),
      () => {},
    );
  }, [api]);
  const load = async (earlier: readonly TrailEntry[], before?: string, isStale = () => false) => {
    setProblem(undefined);
    try {
      const page = await api.trail({ ...filter, ...(before !== undefined && { before }) });
      if (isStale()) return;
      setEntries([...earlier, ...page.entries]);
      setNext(page.next);
    } catch (error) {
      if (isStale()) return;
      setProblem(asProblem(error));
      // What was shown is of another filter.
      if (before === undefined) setEntries(undefined);
    }
  };
  useEffect(() => {
    let isStale = false;
    const timer = setTimeout(() => void load([], undefined, () => isStale), PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [filter, connection.returns.value]);
  const change = (name: 'person' | 'object' | 'action', value: string) => {
    const { [name]: _, ...rest } = filter;
    setFilter(value.trim() === '' ? rest : { ...rest, [name]: value });
  };
  const csv = new URL(`api/trail.csv?${new URLSearchParams({ ...filter, limit: '1000' })}`, address.base);
  return (
    <Page title={say('trail')} hint={say('trailHint')}>
      <div class="trail-filters">
        <select
          aria-label={say('where')}
          onChange={({ currentTarget }) => {
            const { action: _, ...rest } = filter;
            setFilter({ ...rest, of: currentTarget.value as TrailFilter['of'] });
          }}
        >
          <option value="desk">{say('of_desk')}</option>
          <option value="articles">{say('of_articles')}</option>
        </select>
        <select
          aria-label={say('what')}
          value={filter.action ?? ''}
          onChange={({ currentTarget }) => change('action', currentTarget.value)}
        >
          {KINDS[filter.of].map(([beginning, name]) => (
            <option key={beginning} value={beginning}>
              {say(name)}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={say('who')}
          placeholder={say('who')}
          onInput={({ currentTarget }) => change('person', currentTarget.value)}
        />
        <input
          type="search"
          aria-label={say('toWhat')}
          placeholder={say('toWhat')}
          onInput={({ currentTarget }) => change('object', currentTarget.value)}
        />
        <a class="button plain" href={csv.href} download="trail.csv">
          {say('saveCsv')}
        </a>
      </div>
      {entries !== undefined && entries.length > 0 && <TrailTable entries={entries} names={names} />}
      {problem !== undefined ? (
        <ProblemView
          problem={problem}
          onRetry={() => void load(entries ?? [], entries && (next ?? undefined))}
        />
      ) : entries === undefined ? (
        <Loading />
      ) : entries.length === 0 ? (
        <p class="empty-title">{say('nothingDone')}</p>
      ) : (
        next !== null && <Button onClick={() => void load(entries, next)}>{say('earlier')}</Button>
      )}
    </Page>
  );
}

interface TrailTableProps {
  entries: readonly TrailEntry[];
  names: ReadonlyMap<string, string>;
}

function TrailTable({ entries, names }: TrailTableProps) {
  const { texts } = usePeople();
  const { say } = texts;
  return (
    <table class="people-table trail-table">
      <thead>
        <tr>
          {(['when', 'who', 'did', 'toWhat', 'fromWhere'] as const).map((name) => (
            <th key={name} scope="col">
              {say(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => (
          <tr key={index} title={entry.requestId ?? undefined}>
            <td>
              <time dateTime={entry.at}>{texts.date(Date.parse(entry.at))}</time>
            </td>
            <td>
              <bdi>{doerOf(entry, texts)}</bdi>
            </td>
            <td>{deedOf(entry, texts)}</td>
            <td>
              <bdi>{objectOf(entry, names, texts)}</bdi>
            </td>
            <td class="trail-address">{entry.address}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
