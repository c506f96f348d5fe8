import { Icon } from '../../shared/views/icon.tsx';
import type { StatusFilter, Term } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { TextName } from '../text/texts.ts';

const STATUSES: Readonly<Record<StatusFilter, TextName>> = {
  all: 'all',
  published: 'published',
  draft: 'drafts',
  scheduled: 'scheduled',
  trash: 'trash',
};

/** Which articles the list shows. */
export function FilterBar() {
  const { place, terms, texts } = useApp();
  const { say } = texts;
  const { status, text, category, tag, author } = place.value.value;
  // The schedule and the trash are lists of their own, without filters.
  const isFiltered = status !== 'scheduled' && status !== 'trash';
  return (
    <div class="toolbar articles-toolbar">
      {isFiltered && (
        <div class="search">
          <Icon name="search" size={16} />
          <input
            type="search"
            aria-label={say('search')}
            placeholder={say('search')}
            value={text}
            onInput={({ currentTarget }) => place.filter({ text: currentTarget.value })}
          />
        </div>
      )}
      <Choice
        label={say('status')}
        value={status}
        options={Object.entries(STATUSES).map(([value, name]) => [value, say(name)] as const)}
        onChange={(value) => place.filter({ status: value as StatusFilter })}
      />
      {isFiltered && (
        <>
          <Choice
            label={say('category')}
            value={category}
            options={withNone(say('anyCategory'), terms.categories.value)}
            onChange={(value) => place.filter({ category: value })}
          />
          <Choice
            label={say('tags')}
            value={tag}
            options={withNone(say('anyTag'), terms.tags.value)}
            onChange={(value) => place.filter({ tag: value })}
          />
          <Choice
            label={say('authors')}
            value={author}
            options={withNone(say('anyAuthor'), terms.authors.value)}
            onChange={(value) => place.filter({ author: value })}
          />
        </>
      )}
    </div>
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
