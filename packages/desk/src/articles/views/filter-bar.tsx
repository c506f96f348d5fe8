import { lazy, Suspense } from 'preact/compat';
import { useEffect, useId, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { SORTS, type Sort, type Term, type TermKind } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { PLAIN } from './state-tabs.tsx';
import { TermNames } from './terms-field.tsx';
import { EmptyTrashButton } from './trash-buttons.tsx';

const SaveFilterDialog = lazy(() =>
  import('./save-filter.tsx').then(({ SaveFilterDialog: View }) => ({ default: View })),
);

export function FilterBar() {
  const { me, place, terms, texts } = useApp();
  const { say } = texts;
  const { status, sort, text, category, tag, author, mine } = place.value.value;
  const isPlain = PLAIN.has(status);
  const search = say(isPlain ? 'searchTitles' : 'search');
  return (
    <div class="toolbar articles-toolbar">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          aria-label={search}
          placeholder={search}
          value={text}
          onInput={({ currentTarget }) => place.filter({ text: currentTarget.value })}
        />
      </div>
      <Choice
        label={say('field_category_id')}
        value={category}
        options={withNone(say('anyCategory'), terms.categories.value)}
        onChange={(value) => place.filter({ category: value })}
      />
      {!isPlain && (
        <TermChoice
          kind="tags"
          label={say('field_tags')}
          none={say('anyTag')}
          value={tag}
          onChange={(value) => place.filter({ tag: value })}
        />
      )}
      <TermChoice
        kind="authors"
        label={say('field_authors')}
        none={say('anyAuthor')}
        value={author}
        onChange={(value) => place.filter({ author: value })}
      />
      {!isPlain && text === '' && (
        <Choice
          label={say('order')}
          value={sort}
          options={SORTS.map((one) => [one, say(`sort_${one}`)] as const)}
          onChange={(value) => place.filter({ sort: value as Sort })}
        />
      )}
      {status === 'trash' && <EmptyTrashButton />}
      {!isPlain && (me.profile.value?.authorId ?? null) !== null && (
        <button
          type="button"
          class="button plain"
          aria-pressed={mine}
          title={say('mineHint')}
          onClick={() => place.filter({ mine: !mine })}
        >
          <span>{say('mine')}</span>
        </button>
      )}
      <SavedButton />
    </div>
  );
}

/** Saves the filters that are set, or removes those that were saved and are shown. */
function SavedButton() {
  const { filters, me, notices, place, texts } = useApp();
  const { say } = texts;
  const [isAsking, ask] = useState(false);
  const [, query = ''] = place.pathOf(place.value.value).split('?');
  const saved = filters.all.value.find((one) => one.query === query);
  const close = () => ask(false);
  if (saved === undefined) {
    if (query === '') return null;
    return (
      <>
        <Button kind="quiet" onClick={() => ask(true)}>
          {say('saveFilter')}
        </Button>
        {isAsking && (
          <Suspense fallback={null}>
            <SaveFilterDialog query={query} onClose={close} />
          </Suspense>
        )}
      </>
    );
  }
  if (!saved.own && !me.may('edit')) return null;
  const remove = async () => {
    try {
      await filters.remove(saved.id);
      // Somebody else's would come back as one's own.
      const undo = saved.own ? () => filters.save(saved).then(() => undefined) : undefined;
      notices.done(say('filterRemoved', { name: saved.name }), undo);
    } catch (error) {
      notices.failed(say('notChanged', { reason: errorWords(error, say) }));
    }
  };
  return (
    <Button kind="quiet" onClick={() => void remove()}>
      {say('removeFilter')}
    </Button>
  );
}

function withNone(none: string, terms: readonly Term[]): (readonly [value: string, label: string])[] {
  return [['', none], ...terms.map(({ slug, name }) => [slug, name] as const)];
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option} selected={option === value}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface TermChoiceProps {
  kind: TermKind;
  label: string;
  none: string;
  /** The slug of the chosen one, or empty. */
  value: string;
  onChange: (slug: string) => void;
}

/** One tag or author of any number of them: the names are looked for while somebody types. */
function TermChoice({ kind, label, none, value, onChange }: TermChoiceProps) {
  const { notices, terms, texts } = useApp();
  const id = useId();
  const shown = terms.known(kind).value.find(({ slug }) => slug === value)?.name ?? value;
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  useEffect(() => {
    if (value !== '') void terms.look(kind, value);
  }, [kind, value]);
  const take = async (name: string) => {
    const found = name.trim() === '' ? '' : (await terms.named(kind, name).catch(() => undefined))?.slug;
    // An unknown name leaves the list unchanged.
    if (found === undefined)
      notices.failed(texts.say(kind === 'tags' ? 'noSuchTag' : 'noSuchAuthor', { name: name.trim() }));
    else notices.settle();
    if (found === undefined || found === value) setText(shown);
    else onChange(found);
  };
  return (
    <>
      <input
        type="search"
        list={id}
        autocomplete="off"
        aria-label={label}
        title={label}
        placeholder={none}
        value={text}
        onInput={(event) => {
          const { value: typed } = event.currentTarget;
          setText(typed);
          terms.suggest(kind, typed);
          // A name that was picked from the list, or the button that empties the field.
          if (!(event instanceof InputEvent) || event.inputType === 'insertReplacementText') void take(typed);
        }}
        onChange={({ currentTarget }) => void take(currentTarget.value)}
      />
      <TermNames id={id} kind={kind} />
    </>
  );
}
