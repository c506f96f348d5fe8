import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { faultWords } from '../../shared/views/problem-view.tsx';
import type { Item, ItemChange, Tagged } from '../api/types.ts';
import { type News, useNews } from '../news-context.ts';
import type { TextName } from '../text/texts.ts';
import { Conflict } from './conflict.tsx';
import { CheckList, SelectField, TextArea, TextField, termChoices } from './fields.tsx';
import { troubleWords, Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';
import { valueWords } from './value-words.ts';

export function ItemForm({ id, onClose }: { id: string; onClose: () => void }) {
  const { api, texts } = useNews();
  const asked = useAnswer((signal) => api.item(id, signal), id);
  return (
    <FormModal say={texts.say} title={texts.say('editItem')} onClose={onClose} look="wide">
      {asked.value !== undefined ? (
        <Form before={asked.value} onClose={onClose} />
      ) : (
        <Waiting asked={asked} />
      )}
    </FormModal>
  );
}

/** The texts in the form, as they are typed. */
interface Values {
  readonly title: string;
  readonly summary: string;
  readonly reason: string;
  readonly category: string;
  readonly score: string;
  readonly language: string;
  readonly directions: readonly string[];
  readonly correction: string;
}

export const LABELS: Readonly<Record<keyof Values, TextName>> = {
  title: 'title',
  summary: 'summary',
  reason: 'reason',
  category: 'category',
  score: 'score',
  language: 'itemLanguage',
  directions: 'directions',
  correction: 'correction',
};

const NAMES = Object.keys(LABELS) as (keyof Values)[];

function Form({ before, onClose }: { before: Tagged<Item>; onClose: () => void }) {
  const news = useNews();
  const { api, items, texts, vocabulary } = news;
  const { say } = texts;
  const { id } = before.value;
  const form = useRef<HTMLFormElement>(null);
  // The dialog was open before there was a field.
  useEffect(() => form.current?.querySelector('textarea')?.focus(), []);
  const [values, setValues] = useState(() => valuesOf(before.value));
  const [problem, setProblem] = useState<ApiProblem>();
  const [theirs, setTheirs] = useState<Tagged<Item>>();
  const change = changeOf(valuesOf(before.value), values);
  const save = async (etag: string | null) => {
    setProblem(undefined);
    setTheirs(undefined);
    try {
      if (Object.keys(change).length > 0) await items.change(id, change, etag);
      onClose();
    } catch (error) {
      const found = asProblem(error);
      if (found.status === 412) setTheirs(await api.item(id).catch(() => undefined));
      setProblem(found);
    }
  };
  const faultOf = (name: string) => {
    const found = problem?.fields.find(({ field }) => field === name);
    return found && faultWords(found, say);
  };
  const of = (name: Exclude<keyof Values, 'directions'>) => ({
    label: say(LABELS[name]),
    value: values[name],
    onValue: (value: string) => setValues({ ...values, [name]: value }),
    problem: faultOf(name),
  });
  const named = problem?.fields.some(({ field }) => NAMES.some((name) => name === field)) === true;
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(before.etag);
      }}
    >
      <TextArea rows={2} {...of('title')} />
      <TextArea rows={5} {...of('summary')} />
      <TextArea rows={2} hint={say('reasonHint')} {...of('reason')} />
      <div class="form-row">
        <SelectField
          {...of('category')}
          choices={[['', say('none')], ...termChoices(vocabulary.value?.categories, values.category)]}
        />
        <TextField inputMode="decimal" {...of('score')} />
        <TextField {...of('language')} />
      </div>
      <CheckList
        label={say('directions')}
        chosen={values.directions}
        choices={termChoices(vocabulary.value?.directions)}
        onChosen={(chosen) => setValues({ ...values, directions: chosen })}
      />
      <TextArea rows={2} hint={say('correctionHint')} {...of('correction')} />
      <p class="form-problem" role="alert">
        {problem !== undefined && theirs === undefined && !named && troubleWords(problem, say)}
      </p>
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('cancel')}</Button>
        <button type="submit" class="button primary">
          <span>{say('save')}</span>
        </button>
      </div>
      {theirs !== undefined && (
        <Conflict
          rows={rowsOf(values, valuesOf(theirs.value), news)}
          onTheirs={() => {
            void items.reload(id);
            onClose();
          }}
          onMine={() => void save(theirs.etag)}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </form>
  );
}

function valuesOf(item: Item): Values {
  const { title, summary, reason, category, score, language, directions, correction } = item;
  return {
    title,
    summary: summary ?? '',
    reason: reason ?? '',
    category: category ?? '',
    score: score === null ? '' : String(score),
    language: language ?? '',
    directions,
    correction: correction ?? '',
  };
}

function differing(a: Values, b: Values): (keyof Values)[] {
  return NAMES.filter((name) => String(a[name]) !== String(b[name]));
}

function rowsOf(mine: Values, theirs: Values, news: News) {
  return differing(mine, theirs).map((name) => ({
    label: news.texts.say(LABELS[name]),
    mine: valueWords(name, mine[name], news),
    theirs: valueWords(name, theirs[name], news),
  }));
}

/** The members that are not as they were; an empty one is removed. */
function changeOf(before: Values, after: Values): ItemChange {
  const changed = differing(before, after);
  return Object.fromEntries(
    changed.map((name) => {
      const value = after[name];
      if (name === 'score') return [name, value === '' ? null : Number(value)];
      return [name, value === '' && name !== 'title' ? null : value];
    }),
  );
}
