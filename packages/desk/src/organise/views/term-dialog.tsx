import { useId, useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { LatePictureInput } from '../../shared/views/late-picture-input.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import type { AuthorLink, Kind, Term, TermInput } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';
import { reasonOf } from './words.ts';

/** A link with what tells it from the others while it is written. */
interface LinkRow extends AuthorLink {
  readonly key: number;
}

interface TermDialogProps {
  kind: Kind;
  /** Undefined for a new one. */
  term: Term | undefined;
  onClose: () => void;
  onSaved: () => void;
}

/** Asks what a category, tag or author is, new or not. */
export function TermDialog({ kind, term, onClose, onSaved }: TermDialogProps) {
  const { api, texts } = useOrganise();
  const { say } = texts;
  const id = useId();
  const about = kind === 'authors' ? 'bio' : 'description';
  const [name, setName] = useState(term?.name ?? '');
  const [slug, setSlug] = useState(term?.slug ?? '');
  const [words, setWords] = useState(term?.[about] ?? '');
  const [picture, setPicture] = useState(term?.picture ?? '');
  const [links, setLinks] = useState<readonly LinkRow[]>(
    () => term?.links?.map((link, key) => ({ ...link, key })) ?? [],
  );
  const submit = async () => {
    const wanted = slug.trim();
    const input: TermInput = {
      name: name.trim(),
      ...(wanted !== '' && wanted !== term?.slug && { slug: wanted }),
      [about]: words.trim() || null,
      ...(kind !== 'tags' && { picture: picture.trim() || null }),
      ...(kind === 'authors' && { links: cleaned(links) }),
    };
    await (term === undefined ? api.create(kind, input) : api.change(kind, term.id, input));
    onSaved();
    return undefined;
  };
  const title = term === undefined ? say(`new_${kind}`) : say('editTitle', { name: term.name });
  return (
    <SubmitDialog
      say={say}
      title={title}
      look="wide"
      button={say('save')}
      onSubmit={submit}
      reasonOf={(problem) => reasonOf(problem, say)}
      onClose={onClose}
    >
      <label class="field">
        <span>{say('name')}</span>
        <input
          value={name}
          required
          autofocus
          maxLength={100}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <div class="field">
        <label for={id}>{say('address')}</label>
        <input
          id={id}
          value={slug}
          maxLength={100}
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => setSlug(currentTarget.value)}
        />
        <p class="hint" id={`${id}-hint`}>
          {say('addressHint')}
        </p>
      </div>
      <label class="field">
        <span>{say(about)}</span>
        <textarea
          class="organise-words"
          rows={kind === 'authors' ? 5 : 3}
          maxLength={kind === 'authors' ? 2000 : 500}
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </label>
      {kind !== 'tags' && (
        <div class="field">
          <label for={`${id}-picture`}>{say(`picture_${kind}`)}</label>
          <LatePictureInput name={kind} texts={texts} src={picture.trim()} onTake={setPicture} />
          <input
            id={`${id}-picture`}
            type="url"
            value={picture}
            maxLength={500}
            autocomplete="off"
            aria-describedby={`${id}-picture-hint`}
            onInput={({ currentTarget }) => setPicture(currentTarget.value)}
          />
          <p class="hint" id={`${id}-picture-hint`}>
            {say('pictureHint')}
          </p>
        </div>
      )}
      {kind === 'authors' && <LinkFields links={links} onChange={setLinks} />}
    </SubmitDialog>
  );
}

/** The picture, if it is one of the gallery: the desk loads nothing from elsewhere. */
export function TermPicture({ src }: { src: string | null | undefined }) {
  const { address } = useOrganise();
  const [broken, setBroken] = useState<string>();
  if (!src?.startsWith(address.base.href) || src === broken) return null;
  return <img class="organise-thumb" src={src} alt="" loading="lazy" onError={() => setBroken(src)} />;
}

function LinkFields({
  links,
  onChange,
}: {
  links: readonly LinkRow[];
  onChange: (links: readonly LinkRow[]) => void;
}) {
  const { say } = useOrganise().texts;
  const edit = (at: number, change: Partial<AuthorLink>) =>
    onChange(links.map((link) => (link.key === at ? { ...link, ...change } : link)));
  const next = Math.max(-1, ...links.map(({ key }) => key)) + 1;
  return (
    <fieldset class="organise-links">
      <legend>{say('links')}</legend>
      {links.map(({ label = '', url, key }, index) => {
        const number = index + 1;
        return (
          <div key={key} class="organise-link">
            <input
              aria-label={say('linkLabel', { number })}
              placeholder={say('name')}
              value={label}
              maxLength={100}
              onInput={({ currentTarget }) => edit(key, { label: currentTarget.value })}
            />
            <input
              type="url"
              aria-label={say('linkUrl', { number })}
              placeholder="https://"
              value={url}
              maxLength={500}
              onInput={({ currentTarget }) => edit(key, { url: currentTarget.value })}
            />
            <IconButton
              icon="close"
              label={say('removeLink', { number })}
              onClick={() => onChange(links.filter((link) => link.key !== key))}
            />
          </div>
        );
      })}
      {links.length < 20 && (
        <div>
          <Button icon="add" onClick={() => onChange([...links, { url: '', key: next }])}>
            {say('addLink')}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** The links without those that are empty, and without names that are. */
function cleaned(links: readonly AuthorLink[]): AuthorLink[] {
  return links
    .map(({ label = '', url }) => ({ label: label.trim(), url: url.trim() }))
    .filter(({ label, url }) => label !== '' || url !== '')
    .map(({ label, url }) => (label === '' ? { url } : { label, url }));
}
