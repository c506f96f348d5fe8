import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { withScheme } from '../../shared/state/with-scheme.ts';
import { Button } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import type { FoundAtAddress } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { SelectField, selectChoices, TextField, termChoices } from './fields.tsx';
import { troubleWords } from './trouble.tsx';

/** The most entries that are shown of those found. */
const SHOWN = 8;

/** Adds a source: its address is tried first, and what it brings is shown. */
export function AddSource({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const { api, edits, texts, vocabulary } = useNews();
  const { say } = texts;
  const [url, setUrl] = useState('');
  const [isPage, setPage] = useState(false);
  const [found, setFound] = useState<FoundAtAddress>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const [name, setName] = useState('');
  const [category, setCategory] = useState('');
  const [select, setSelect] = useState('auto');
  const running = useRef<AbortController>();
  useEffect(() => () => running.current?.abort(), []);
  const attempt = async (work: (signal: AbortSignal) => Promise<void>) => {
    running.current = new AbortController();
    const { signal } = running.current;
    setBusy(true);
    setProblem(undefined);
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) setProblem(asProblem(error));
    }
    if (!signal.aborted) setBusy(false);
  };
  const test = (given = url, asPage = isPage) => {
    const address = withScheme(given);
    setUrl(address);
    setPage(asPage);
    setFound(undefined);
    return attempt(async (signal) =>
      setFound(await api.trySource({ url: address, page: asPage ? 'auto' : undefined }, signal)),
    );
  };
  const add = () =>
    attempt(async () => {
      const title = found?.title ?? '';
      const settings = { name, title, category, select, ...(isPage && { page: 'auto' }) };
      const { source, isNew } = await api.addSource({ url, ...settings });
      edits.say(say(isNew ? 'didAdd' : 'alreadyKnown', { name: source.name }));
      onAdded();
    });
  // A text that is no address now will not be one later.
  const canAdd = problem !== undefined && (problem.code === 'source_unreadable' || problem.passes);
  const change = (value: string) => {
    // The entries of an earlier address are not those of this one.
    running.current?.abort();
    setBusy(false);
    setUrl(value);
    setFound(undefined);
    setProblem(undefined);
  };
  return (
    <FormModal say={say} title={say('addSource')} onClose={onClose} look="wide">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void (found === undefined ? test() : add());
        }}
      >
        <TextField
          label={say('address')}
          value={url}
          onValue={change}
          hint={say('addressHint')}
          autofocus
          inputMode="url"
        />
        <CheckField
          label={say('isPage')}
          checked={isPage}
          onChecked={(checked) => {
            setPage(checked);
            setFound(undefined);
          }}
        />
        <p class="form-problem" role="alert">
          {problem !== undefined && troubleWords(problem, say)}
        </p>
        <div role="status">
          {isBusy && <p class="hint">{say('testing')}</p>}
          {found !== undefined && <Found found={found} />}
        </div>
        {found !== undefined && found.leadsTo.length > 0 && (
          <ul class="leads">
            {found.leadsTo.map((address) => (
              <li key={address}>
                <Button
                  onClick={() => {
                    change(address);
                    void test(address);
                  }}
                >
                  {say('useFeed', { address })}
                </Button>
              </li>
            ))}
          </ul>
        )}
        {found !== undefined && (
          <div class="form-row">
            <TextField label={say('name')} value={name} onValue={setName} placeholder={found.title ?? ''} />
            <SelectField
              label={say('category')}
              value={category}
              onValue={setCategory}
              choices={[['', say('byRules')], ...termChoices(vocabulary.value?.categories, category)]}
            />
            <SelectField
              label={say('selection')}
              value={select}
              onValue={setSelect}
              choices={selectChoices(say)}
            />
          </div>
        )}
        <div class="modal-buttons">
          {problem?.code === 'source_unreadable' && !isPage && (
            <Button disabled={isBusy} onClick={() => void test(url, true)}>
              {say('readAsPage')}
            </Button>
          )}
          {canAdd && (
            <Button kind="quiet" disabled={isBusy} onClick={() => void add()}>
              {say('addAnyway')}
            </Button>
          )}
          <span class="space" />
          <Button onClick={onClose}>{say('cancel')}</Button>
          <button type="submit" class="button primary" disabled={isBusy || url === ''}>
            <span>{say(found === undefined ? 'test' : 'add')}</span>
          </button>
        </div>
      </form>
    </FormModal>
  );
}

function Found({ found: { title, entries, count } }: { found: FoundAtAddress }) {
  const { texts } = useNews();
  const { say } = texts;
  return (
    <div class="found">
      <p class="form-good">
        {title !== null && <strong>{texts.name(title)} · </strong>}
        {say('found', { count })}
      </p>
      <ol>
        {entries.slice(0, SHOWN).map((entry) => (
          <li key={entry.url}>
            <span class="found-title" dir="auto">
              {texts.name(entry.title)}
            </span>
            <span class="hint">
              {entry.publishedAt === null ? say('noDate') : texts.ago(entry.publishedAt)}
            </span>
          </li>
        ))}
      </ol>
      {entries.length > SHOWN && <p class="hint">{say('andMore', { count: entries.length - SHOWN })}</p>}
    </div>
  );
}
