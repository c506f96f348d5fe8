import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { withScheme } from '../../shared/state/with-scheme.ts';
import { Button } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { faultWords } from '../../shared/views/problem-view.tsx';
import type { FoundAtAddress, Source, SourceChange, Tagged, TriedEntry } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import type { Say, TextName } from '../text/texts.ts';
import { Conflict } from './conflict.tsx';
import { CheckList, SelectField, selectChoices, TextField, termChoices } from './fields.tsx';
import { RulesField } from './rules-field.tsx';
import { troubleWords } from './trouble.tsx';
import { valueWords } from './value-words.ts';

/** The settings as they are typed; rules are lines. */
interface Values {
  readonly url: string;
  readonly name: string;
  readonly category: string;
  readonly directions: readonly string[];
  readonly select: string;
  readonly weight: string;
  readonly firstParty: boolean;
  readonly readPages: boolean;
  readonly textSelector: string;
  readonly images: boolean;
  readonly rules: string;
}

const LABELS: Readonly<Record<keyof Values, TextName>> = {
  url: 'address',
  name: 'name',
  category: 'category',
  directions: 'directions',
  select: 'selection',
  weight: 'weight',
  firstParty: 'firstParty',
  readPages: 'readPages',
  textSelector: 'textSelector',
  images: 'images',
  rules: 'rules',
};

const NAMES = Object.keys(LABELS) as (keyof Values)[];

interface SourceFormProps {
  before: Tagged<Source>;
  onSaved: () => void;
}

/**
 * Changes the settings of a source; its rules can be tried on its past entries. Unsaved text is there again
 * after a visit elsewhere.
 */
export function SourceForm({ before, onSaved }: SourceFormProps) {
  const news = useNews();
  const { api, edits, texts, typed, vocabulary } = news;
  const { say } = texts;
  const { id, name } = before.value;
  // Of what somebody else has changed since it was typed, a save says so.
  const [from, setFrom] = useState(() => typed.get(id)?.etag ?? before.etag);
  const [values, setValues] = useState(
    (): Values => ({
      ...valuesOf(before.value),
      ...typed.get(id)?.values,
    }),
  );
  const [problem, setProblem] = useState<ApiProblem>();
  const [theirs, setTheirs] = useState<Tagged<Source>>();
  const change = changeOf(valuesOf(before.value), values);
  const isChanged = Object.keys(change).length > 0;
  useEffect(() => {
    const names = Object.keys(change) as (keyof Values)[];
    const kept = Object.fromEntries(names.map((one) => [one, values[one]]));
    if (isChanged) typed.set(id, { etag: from, values: kept });
    else typed.delete(id);
  }, [values]);
  const done = () => {
    typed.delete(id);
    onSaved();
  };
  const takeTheirs = ({ value, etag }: Tagged<Source>) => {
    setTheirs(undefined);
    setProblem(undefined);
    setValues(valuesOf(value));
    setFrom(etag);
    done();
  };
  const save = async (etag: string | null) => {
    setProblem(undefined);
    setTheirs(undefined);
    try {
      const saved = await api.changeSource(id, change, etag);
      const back = changeOf(values, valuesOf(before.value));
      const undo = () => api.changeSource(id, back, saved.etag);
      edits.did(say('didEditSource', { name }), undo, onSaved);
      done();
    } catch (error) {
      const found = asProblem(error);
      if (found.status === 412) setTheirs(await api.source(id).catch(() => undefined));
      setProblem(found);
    }
  };
  const set = (changed: Partial<Values>) => setValues({ ...values, ...changed });
  const faultOf = (one: string) => {
    const found = problem?.fields.find(({ field }) => field.replace(/^settings\./, '').split('.')[0] === one);
    return found && faultWords(found, say);
  };
  const of = (one: 'url' | 'name' | 'category' | 'select' | 'weight' | 'textSelector') => ({
    label: say(LABELS[one]),
    value: values[one],
    onValue: (value: string) => set({ [one]: value }),
    problem: faultOf(one),
  });
  return (
    <form
      class="form settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(from);
      }}
    >
      <TextField placeholder={before.value.isNamed ? '' : name} {...of('name')} />
      <TextField inputMode="url" {...of('url')} />
      <div class="form-row">
        <SelectField
          {...of('category')}
          choices={[['', say('byRules')], ...termChoices(vocabulary.value?.categories, values.category)]}
        />
        <SelectField {...of('select')} choices={selectChoices(say)} />
        <TextField inputMode="decimal" hint={say('weightHint')} {...of('weight')} />
      </div>
      <CheckList
        label={say('directions')}
        chosen={values.directions}
        choices={termChoices(vocabulary.value?.directions)}
        onChosen={(chosen) => set({ directions: chosen })}
      />
      {(['firstParty', 'images', 'readPages'] as const).map((one) => (
        <CheckField
          key={one}
          label={say(LABELS[one])}
          checked={values[one]}
          onChecked={(checked) => set({ [one]: checked })}
        />
      ))}
      {(values.readPages || values.textSelector !== '') && (
        <>
          <TextField hint={say('textSelectorHint')} {...of('textSelector')} />
          <TryText source={before.value} textSelector={values.textSelector} />
        </>
      )}
      <RulesField value={values.rules} onValue={(rules) => set({ rules })} problem={faultOf('rules')} />
      <TryRules id={id} rules={rulesOf(values.rules)} />
      <p class="form-problem" role="alert">
        {problem !== undefined && theirs === undefined && troubleWords(problem, say)}
      </p>
      <div class="modal-buttons">
        <button type="submit" class="button primary" disabled={!isChanged}>
          <span>{say('save')}</span>
        </button>
      </div>
      {theirs !== undefined && (
        <Conflict
          rows={rowsOf(values, valuesOf(theirs.value)).map(([one]) => ({
            label: say(LABELS[one]),
            mine: valueWords(one, values[one], news),
            theirs: valueWords(one, valuesOf(theirs.value)[one], news),
          }))}
          onTheirs={() => takeTheirs(theirs)}
          onMine={() => void save(theirs.etag)}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </form>
  );
}

/** Shows the text of the first entry, before its place is saved. */
function TryText({ source, textSelector }: { source: Source; textSelector: string }) {
  const { api, texts } = useNews();
  const { say } = texts;
  const [tried, setTried] = useState<{ textSelector: string; page: FoundAtAddress['firstPage'] }>();
  const [problem, setProblem] = useState<ApiProblem>();
  const run = async () => {
    setProblem(undefined);
    setTried(undefined);
    try {
      const { url, page, proxy } = source;
      const asked = { url, textSelector, page: page ?? undefined, proxy: proxy ?? undefined };
      const { firstPage } = await api.trySource(asked);
      setTried({ textSelector, page: firstPage });
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <div class="try-rules">
      <Button icon="search" onClick={() => void run()}>
        {say('tryText')}
      </Button>
      <p class="form-problem" role="alert">
        {problem !== undefined && troubleWords(problem, say)}
      </p>
      <div role="status" dir="auto">
        {tried?.textSelector === textSelector && <p>{textWords(tried.page, textSelector, say)}</p>}
      </div>
    </div>
  );
}

/** The most characters of a text that are shown. */
const SHOWN = 1000;

function textWords(page: FoundAtAddress['firstPage'], textSelector: string, say: Say): string {
  if (!page?.isRead) return say('pageUnread');
  if (page.text === null) return say(textSelector.trim() === '' ? 'noTextFound' : 'noTextThere');
  return page.text.length > SHOWN ? `${page.text.slice(0, SHOWN)}…` : page.text;
}

/** Tries the rules on the last entries, before they are saved. */
function TryRules({ id, rules }: { id: number; rules: string[] }) {
  const { api, texts } = useNews();
  const { say } = texts;
  const [tried, setTried] = useState<{ rules: string; entries: readonly TriedEntry[] }>();
  const [problem, setProblem] = useState<ApiProblem>();
  const key = rules.join('\n');
  const run = async () => {
    setProblem(undefined);
    try {
      setTried({ rules: key, entries: await api.tryRules(id, rules) });
    } catch (error) {
      setTried(undefined);
      setProblem(asProblem(error));
    }
  };
  const entries = tried?.rules === key ? tried.entries : undefined;
  const touched = entries?.filter(
    (one) => one.droppedBy !== null || one.category !== null || one.points !== 0,
  );
  const dropped = entries?.filter(({ droppedBy }) => droppedBy !== null).length ?? 0;
  return (
    <div class="try-rules">
      <Button icon="search" onClick={() => void run()}>
        {say('tryRules')}
      </Button>
      <p class="form-problem" role="alert">
        {problem !== undefined && troubleWords(problem, say)}
      </p>
      <div role="status">
        {entries !== undefined && <p>{say('wouldDrop', { dropped, count: entries.length })}</p>}
      </div>
      {touched !== undefined && touched.length > 0 && (
        <ul class="tried">
          {touched.map((one, index) => (
            <li key={index} class={one.droppedBy === null ? undefined : 'dropped'}>
              <span class="found-title" dir="auto">
                {texts.name(one.title)}
              </span>
              <code>{effectOf(one)}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function effectOf({ droppedBy, category, points }: TriedEntry): string {
  if (droppedBy !== null) return droppedBy;
  return [
    ...(category === null ? [] : [`category ${category}`]),
    ...(points === 0 ? [] : [`score ${points > 0 ? '+' : ''}${points}`]),
  ].join(', ');
}

function rulesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function valuesOf(source: Source): Values {
  const { url, name, isNamed, category, directions, select, weight, firstParty, images, rules } = source;
  const { readPages, textSelector } = source;
  return {
    url,
    name: isNamed ? name : '',
    category: category ?? '',
    directions,
    select,
    weight: String(weight),
    firstParty,
    readPages,
    textSelector: textSelector ?? '',
    images,
    rules: rules.join('\n'),
  };
}

/** The settings that are not as they were. */
function changeOf(before: Values, after: Values): SourceChange {
  return Object.fromEntries(
    rowsOf(after, before).map(([name]) => {
      if (name === 'url') return [name, withScheme(after.url)];
      if (name === 'weight') return [name, Number(after.weight)];
      if (name === 'rules') return [name, rulesOf(after.rules)];
      return [name, after[name]];
    }),
  );
}

/** The members that differ, each with its two values as text. */
function rowsOf(a: Values, b: Values): readonly (readonly [name: keyof Values, a: string, b: string])[] {
  return NAMES.flatMap((name) => {
    const [one, other] = [String(a[name]), String(b[name])];
    return one === other ? [] : [[name, one, other] as const];
  });
}
