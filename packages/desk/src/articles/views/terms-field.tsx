import { useEffect, useId, useState } from 'preact/hooks';
import { IconButton } from '../../shared/views/button.tsx';
import type { Term, TermKind } from '../api/types.ts';
import { useApp } from '../app-context.ts';

interface TermsFieldProps {
  kind: TermKind;
  label: string;
  /** The slugs of those that are chosen. */
  chosen: readonly string[];
  /** Those that the article has as it is. */
  own: readonly Term[] | undefined;
  onChange: (slugs: readonly string[]) => void;
}

/** Tags or authors, added by name; a tag may be new. */
export function TermsField({ kind, label, chosen, own, onChange }: TermsFieldProps) {
  const { notices, terms, texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [name, setName] = useState('');
  const known = terms.known(kind).value;
  useEffect(() => {
    terms.learn(kind, own ?? []);
    for (const slug of chosen) void terms.look(kind, slug);
  }, [own, chosen]);
  const add = async () => {
    const wanted = name.trim();
    if (wanted === '') return;
    try {
      const slug = kind === 'tags' ? await terms.tagNamed(wanted) : (await terms.named(kind, wanted))?.slug;
      if (slug === undefined) return notices.failed(say('noSuchAuthor', { name: wanted }));
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
        onInput={({ currentTarget }) => {
          setName(currentTarget.value);
          terms.suggest(kind, currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          void add();
        }}
        onBlur={() => {
          if (known.some((term) => term.name === name)) void add();
        }}
      />
      <TermNames id={`${id}-names`} kind={kind} without={chosen} />
      <p class="hint" id={`${id}-hint`}>
        {say('tagsHint')}
      </p>
    </div>
  );
}

/** The names that a field proposes. */
export function TermNames({
  id,
  kind,
  without = [],
}: {
  id: string;
  kind: TermKind;
  without?: readonly string[];
}) {
  const { terms } = useApp();
  return (
    <datalist id={id}>
      {terms
        .known(kind)
        .value.filter(({ slug }) => !without.includes(slug))
        .map((term) => (
          <option key={term.id} value={term.name} />
        ))}
    </datalist>
  );
}
