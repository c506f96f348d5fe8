import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { useFileDrops } from '../../shared/views/use-file-drops.ts';
import type { OpmlOutcome, Source } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { changeQuery, placeOf } from '../state/news-place.ts';
import { Pages } from '../state/pages.ts';
import { AddSource } from './add-source.tsx';
import { Select } from './fields.tsx';
import { OpmlDialog } from './opml.tsx';
import { SourceList } from './source-list.tsx';
import { Status } from './status.tsx';
import { Trouble } from './trouble.tsx';
import { useKeys } from './use-keys.ts';

/** The largest OPML file that is read, in bytes. */
const MOST_OPML = 2 * 1024 * 1024;

export function Sources() {
  const news = useNews();
  const { address, api, me, texts } = news;
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const [pages] = useState(() => new Pages<Source>());
  const [isAdding, setAdding] = useState(query.has('add') && me.may('edit'));
  const stopAdding = () => {
    setAdding(false);
    if (query.has('add')) changeQuery(address, { add: undefined });
  };
  const [outcome, setOutcome] = useState<OpmlOutcome>();
  const begin = () => void pages.begin((cursor, signal) => api.sources(cursor, signal));
  useEffect(begin, [news]);
  const entries = pages.entries.value;
  const state = pages.state.value;
  // All of them: a name is looked for in what is there.
  useEffect(() => {
    if (state === 'more') void pages.more();
  }, [state, entries.length]);
  const over = useFileDrops(({ files: [file] }) => {
    if (file !== undefined && me.may('edit')) void take(file);
  });
  useKeys(me.may('edit') ? { a: () => setAdding(true) } : {});
  const take = async (file: File) => {
    if (file.size > MOST_OPML) return news.edits.say(say('opmlTooLarge'));
    await news.edits.attempt(say('opmlImport'), async () => {
      setOutcome(await api.importOpml(await file.text()));
      begin();
    });
  };
  const text = query.get('q')?.toLocaleLowerCase() ?? '';
  const how = query.get('state') ?? '';
  const found = useMemo(
    () => inOrder(entries.filter((source) => isNamed(source, text) && isHow(source, how))),
    [entries, text, how],
  );
  const problem = pages.problem.value;
  return (
    <>
      <SourcesBar
        hasSome={entries.length > 0}
        onAdd={() => setAdding(true)}
        onFile={(file) => void take(file)}
      />
      {found.length > 0 ? (
        <SourceList
          sources={found}
          onChanged={(source) =>
            pages.change(
              ({ id }) => id === source.id,
              () => source,
            )
          }
        />
      ) : problem !== undefined ? (
        <Trouble problem={problem} onRetry={() => void pages.retry()} />
      ) : state === 'loading' || state === 'more' ? (
        <Loading />
      ) : (
        <div class="empty">
          <Icon name={entries.length === 0 ? 'news' : 'search'} size={32} />
          <p class="empty-title">{say(entries.length === 0 ? 'noSources' : 'noSourceMatches')}</p>
          {entries.length === 0 && <p class="hint">{say('noSourcesHint')}</p>}
        </div>
      )}
      <Status words={say('sourceCount', { count: found.length })} />
      {isAdding && (
        <AddSource
          onClose={stopAdding}
          onAdded={() => {
            stopAdding();
            begin();
          }}
        />
      )}
      {outcome !== undefined && <OpmlDialog outcome={outcome} onClose={() => setOutcome(undefined)} />}
      {over && me.may('edit') && (
        <div class="drop-hint" aria-hidden="true">
          <Icon name="upload" size={32} />
          {say('dropOpml')}
        </div>
      )}
    </>
  );
}

/** Failing sources, the longest first, then the others as they were added. */
function inOrder(sources: readonly Source[]): readonly Source[] {
  const since = ({ state, failingSince }: Source) => (state === 'active' ? (failingSince ?? '~') : '~');
  return sources.toSorted((a, b) => (since(a) < since(b) ? -1 : Number(since(a) > since(b))));
}

function isNamed({ name, url }: Source, text: string): boolean {
  return text === '' || name.toLocaleLowerCase().includes(text) || url.includes(text);
}

function isHow({ state, failures }: Source, how: string): boolean {
  if (how === 'failing') return state === 'active' && failures > 0;
  return how === '' || state === how;
}

interface SourcesBarProps {
  /** False before the first source: then there is nothing to export. */
  hasSome: boolean;
  onAdd: () => void;
  onFile: (file: File) => void;
}

function SourcesBar({ hasSome, onAdd, onFile }: SourcesBarProps) {
  const { address, api, me, texts } = useNews();
  const { say } = texts;
  const { query } = placeOf(address.here.value);
  const input = useRef<HTMLInputElement>(null);
  const states = ['active', 'failing', 'paused', 'gone'] as const;
  return (
    <div class="toolbar filters">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          aria-label={say('searchSources')}
          placeholder={say('searchSources')}
          value={query.get('q') ?? ''}
          onInput={({ currentTarget }) => changeQuery(address, { q: currentTarget.value })}
        />
      </div>
      <Select
        label={say('state')}
        value={query.get('state') ?? ''}
        onValue={(state) => changeQuery(address, { state })}
        choices={[['', say('anyState')], ...states.map((name) => [name, say(`state_${name}`)] as const)]}
      />
      <span class="space" />
      <input
        ref={input}
        type="file"
        accept=".opml,.xml,text/x-opml,text/xml"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          currentTarget.value = '';
        }}
      />
      {me.may('edit') && (
        <Button
          kind="quiet"
          icon="upload"
          aria-label={say('opmlImport')}
          onClick={() => input.current?.click()}
        >
          {say('opmlImport')}
        </Button>
      )}
      {hasSome && (
        <a
          class="button quiet"
          aria-label={say('opmlExport')}
          href={api.opmlUrl}
          download="sources.opml"
          onDragStart={({ dataTransfer }) =>
            // Dropped on a desktop, it is the file; browsers other than Chromium drop the link.
            dataTransfer?.setData('DownloadURL', `text/x-opml:sources.opml:${api.opmlUrl}`)
          }
        >
          <Icon name="download" />
          <span>{say('opmlExport')}</span>
        </a>
      )}
      {me.may('edit') && (
        <Button kind="primary" icon="add" onClick={onAdd} aria-keyshortcuts="a">
          {say('addSource')}
        </Button>
      )}
    </div>
  );
}
