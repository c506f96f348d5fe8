import { useId, useState } from 'preact/hooks';
import { IconButton } from '../../shared/views/button.tsx';
import type { Term } from '../api/types.ts';
import { useApp } from '../app-context.ts';

interface TermsFieldProps {
  label: string;
  /** The slugs of those that the article has. */
  chosen: readonly string[];
  known: readonly Term[];
  onChange: (slugs: readonly string[]) => void;
  /** The slug of one by its name, which may be new; without it only known ones can be chosen. */
  make?: (name: string) => Promise<string>;
}

/** Tags or authors, added by name. */
export function TermsField({ label, chosen, known, onChange, make }: TermsFieldProps) {
  const { notices, texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [name, setName] = useState('');
  const add = async () => {
    const wanted = name.trim();
    if (wanted === '') return;
    const found = known.find((term) => term.name.toLowerCase() === wanted.toLowerCase());
    try {
      const slug = found?.slug ?? (await make?.(wanted));
      if (slug === undefined) return;
      setName('');
      if (!chosen.includes(slug)) onChange([...chosen, slug]);
    } catch (error) {
      notices.failed(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {chosen.length > 0 && (
        <ul class="chips">
          {chosen.map((slug) => {
            const shown = known.find((term) => term.slug === slug)?.name ?? slug;
            return (
              <li key={slug} class="chip">
                <bdi>{shown}</bdi>
                <IconButton
                  icon="close"
                  label={say('remove', { name: shown })}
                  onClick={() => onChange(chosen.filter((one) => one !== slug))}
                />
              </li>
            );
          })}
        </ul>
      )}
      <input
        id={id}
        value={name}
        list={`${id}-names`}
        autocomplete="off"
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          void add();
        }}
        onBlur={() => {
          if (known.some((term) => term.name === name)) void add();
        }}
      />
      <datalist id={`${id}-names`}>
        {known
          .filter(({ slug }) => !chosen.includes(slug))
          .map((term) => (
            <option key={term.id} value={term.name} />
          ))}
      </datalist>
      <p class="hint" id={`${id}-hint`}>
        {say('tagsHint')}
      </p>
    </div>
  );
}
