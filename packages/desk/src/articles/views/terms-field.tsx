import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import type { Term, TermKind } from '../api/types.ts';
import { useApp } from '../app-context.ts';

interface TermsFieldProps {
  kind: TermKind;
  label: string;
  /** The slugs of those that are chosen. */
  chosen: readonly string[];
  /** Those that the article has as it is. */
  own: readonly Term[] | undefined;
  /** Is given what becomes of the slugs that are chosen by then. */
  onChange: (change: (slugs: readonly string[]) => readonly string[]) => void;
}

/** Tags or authors, added by name; one that is new is made: a tag at once, an author when asked to. */
export function TermsField({ kind, label, chosen, own, onChange }: TermsFieldProps) {
  const { me, terms, texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [name, setName] = useState('');
  /** The author who was named and is not there. */
  const [missing, setMissing] = useState<string>();
  const [problem, setProblem] = useState('');
  const known = terms.known(kind).value;
  useEffect(() => {
    terms.learn(kind, own ?? []);
    for (const slug of chosen) void terms.look(kind, slug);
  }, [own, chosen]);
  const choose = (slug: string) => onChange((slugs) => (slugs.includes(slug) ? slugs : [...slugs, slug]));
  const makeAuthor = async (wanted: string) => {
    setMissing(undefined);
    try {
      choose(await terms.makeAuthor(wanted));
      setProblem('');
      setName('');
    } catch (error) {
      setProblem(errorWords(error, say));
    }
  };
  const adding = useRef(Promise.resolve());
  const addNamed = async (wanted: string) => {
    const refuse = (reason: string) => {
      setProblem(reason);
      setName((typed) => typed || wanted);
    };
    try {
      const slug = kind === 'tags' ? await terms.tagNamed(wanted) : (await terms.named(kind, wanted))?.slug;
      setMissing(slug === undefined ? wanted : undefined);
      if (slug === undefined) return refuse(say('noSuchAuthor', { name: wanted }));
      choose(slug);
    } catch (error) {
      refuse(errorWords(error, say));
    }
  };
  // One after the other: a tag that is made by the first is found by the second.
  const add = () => {
    const wanted = name.trim();
    if (wanted === '') return;
    setName('');
    setProblem('');
    adding.current = adding.current.then(() => addNamed(wanted));
  };
  return (
    <div class="field" data-terms={kind}>
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
                  onClick={() => onChange((slugs) => slugs.filter((one) => one !== slug))}
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
        aria-describedby={`${id}-problem ${id}-hint`}
        aria-invalid={problem !== ''}
        onInput={({ currentTarget }) => {
          setName(currentTarget.value);
          setMissing(undefined);
          setProblem('');
          terms.suggest(kind, currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          add();
        }}
        onBlur={() => {
          if (known.some((term) => term.name === name)) add();
        }}
      />
      <TermNames id={`${id}-names`} kind={kind} without={chosen} />
      <p class="form-problem" role="alert" id={`${id}-problem`}>
        {problem}
      </p>
      {missing !== undefined && me.may('edit') && (
        <div>
          <Button icon="add" onClick={() => void makeAuthor(missing)}>
            {say('makeAuthor', { name: missing })}
          </Button>
        </div>
      )}
      <p class="hint" id={`${id}-hint`}>
        {say('tagsHint')}
      </p>
    </div>
  );
}

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
