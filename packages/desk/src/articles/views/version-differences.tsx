import { useMemo, useRef, useState } from 'preact/hooks';
import { canShow } from '../../shared/state/store.ts';
import { Button } from '../../shared/views/button.tsx';
import { type App, useApp } from '../app-context.ts';
import { inertElement } from '../editor/html/inert-element.ts';
import { type BlockDifference, compareTexts, withPartOf } from '../state/compare-texts.ts';
import { differing, type FieldName, type Fields, labelOf, pick, textOf } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';
import type { TextName } from '../text/texts.ts';
import { Differences } from './differences.tsx';
import { fieldWords } from './taken-words.ts';

interface VersionDifferencesProps {
  open: OpenArticle;
  old: Fields;
  isReadOnly: boolean;
}

/** Fields that no version brings back: where the article is, and what has been put right. */
const KEPT: readonly FieldName[] = ['slug', 'corrections'];

/** In which parts a version is other than what the article says now; each can be restored by itself. */
export function VersionDifferences({ open, old, isReadOnly }: VersionDifferencesProps) {
  const app = useApp();
  const { say } = app.texts;
  const now = open.fields.value;
  const place = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  const fields = differing(old, now).filter((field) => !KEPT.includes(field));
  const parts = useMemo(() => compareTexts(old.content, now.content), [old.content, now.content]);
  const restore = (change: Partial<Fields>) => {
    open.edit(change);
    setSaid(say('partRestored'));
    place.current?.focus();
  };
  const shownField = (field: FieldName) => (
    <Change
      key={field}
      label={say(labelOf(field))}
      onRestore={
        isReadOnly
          ? undefined
          : () => restore(pick(old, field === 'featuredImage' ? ['featuredImage', 'altText'] : [field]))
      }
    >
      {field === 'featuredImage' || field === 'socialImage' ? (
        <Pictures before={[pictureOf(old, field)]} now={[pictureOf(now, field)]} />
      ) : (
        <Differences before={fieldWords(app, old, field)} after={fieldWords(app, now, field)} />
      )}
    </Change>
  );
  return (
    <div ref={place} tabIndex={-1} class="version">
      <p class="hint" role="status">
        {said || (fields.length === 0 ? say('noDifference') : '')}
      </p>
      {fields.includes('title') && shownField('title')}
      {fields.includes('content') &&
        parts.map((part, index) =>
          typeof part === 'string' ? (
            <details key={`${index}`} class="unchanged">
              <summary>{say('unchangedText')}</summary>
              <p class="differences" dir="auto">
                {textOf(part)}
              </p>
            </details>
          ) : (
            <BlockChange
              key={`${index}`}
              part={part}
              onRestore={isReadOnly ? undefined : () => restore({ content: withPartOf(parts, part) })}
            />
          ),
        )}
      {fields.filter((field) => field !== 'title' && field !== 'content').map(shownField)}
    </div>
  );
}

interface ChangeProps {
  label: string;
  /** Undefined where nothing may be changed. */
  onRestore: (() => void) | undefined;
  children: preact.ComponentChildren;
}

function Change({ label, onRestore, children }: ChangeProps) {
  const { say } = useApp().texts;
  return (
    <section class="version-change" aria-label={label}>
      <header>
        <h4>{label}</h4>
        {onRestore !== undefined && (
          <Button kind="quiet" onClick={onRestore}>
            {say('restorePart')}
          </Button>
        )}
      </header>
      {children}
    </section>
  );
}

/** Changed blocks: which they are, their words and their pictures. */
function BlockChange({ part, onRestore }: { part: BlockDifference; onRestore: ChangeProps['onRestore'] }) {
  const { texts } = useApp();
  const { say } = texts;
  const [before, now] = useMemo(() => [blocksIn(part.before), blocksIn(part.now)], [part]);
  const kinds = (blocks: Blocks) => listed(texts, blocks);
  const isSame = before.kinds.join() === now.kinds.join();
  const label = () => {
    if (part.before === '') return say('blockAdded', { block: kinds(now) });
    if (part.now === '') return say('blockRemoved', { block: kinds(before) });
    return isSame ? kinds(now) : say('blockBecame', { before: kinds(before), now: kinds(now) });
  };
  const isOtherPicture = JSON.stringify(before.pictures) !== JSON.stringify(now.pictures);
  const isFormat = isSame && !isOtherPicture && before.words === now.words;
  const isHeading = [...before.kinds, ...now.kinds].every((kind) => /^h\d$/.test(kind));
  return (
    <Change label={label()} onRestore={onRestore}>
      {isOtherPicture && <Pictures before={before.pictures} now={now.pictures} />}
      {isFormat && <p class="hint">{say('onlyFormatting')}</p>}
      <div class={isHeading ? 'heading-words' : undefined}>
        <Differences before={before.words} after={now.words} />
      </div>
    </Change>
  );
}

function pictureOf(fields: Fields, field: 'featuredImage' | 'socialImage'): ShownPicture {
  return { src: fields[field], alt: field === 'featuredImage' ? fields.altText : '' };
}

interface ShownPicture {
  readonly src: string;
  readonly alt: string;
}

function Pictures({ before, now }: { before: readonly ShownPicture[]; now: readonly ShownPicture[] }) {
  const { say } = useApp().texts;
  const sides = [
    [say('pictureBefore'), before],
    [say('pictureNow'), now],
  ] as const;
  return (
    <div class="conflict-sides">
      {sides.map(([label, pictures]) => (
        <figure key={label} class="picture-side">
          <figcaption>{label}</figcaption>
          {pictures.map(({ src, alt }, index) => (
            <div key={`${index}`}>
              {canShow(src) && src !== '' ? <img src={src} alt={alt} /> : <code>{src}</code>}
              <span class="hint">{alt}</span>
            </div>
          ))}
        </figure>
      ))}
    </div>
  );
}

interface Blocks {
  /** The names of the elements. */
  readonly kinds: readonly string[];
  readonly words: string;
  readonly pictures: readonly ShownPicture[];
}

/** The names of blocks; others are named by their element. */
const KINDS: Readonly<Partial<Record<string, TextName>>> = {
  h2: 'editorHeading2',
  h3: 'editorHeading3',
  h4: 'editorHeading4',
  p: 'editorParagraph',
  ul: 'editorBulletList',
  ol: 'editorOrderedList',
  blockquote: 'editorQuote',
  pre: 'editorCodeBlock',
  img: 'editorPicture',
  iframe: 'editorEmbed',
  table: 'editorTableTools',
  hr: 'editorRule',
};

function listed(texts: App['texts'], { kinds }: Blocks): string {
  const names = kinds.map((kind) => {
    const name = KINDS[kind];
    return name === undefined ? kind : texts.say(name);
  });
  return new Intl.ListFormat(texts.language.value).format([...new Set(names)]);
}

function blocksIn(html: string): Blocks {
  const body = inertElement(html, document);
  const kindOf = (element: Element) => {
    const inner = element.matches('figure, p') ? element.querySelector('img, iframe, table') : null;
    const isAlone = element.localName === 'figure' || element.textContent?.trim() === '';
    return inner !== null && isAlone ? inner.localName : element.localName;
  };
  const frames = [...body.querySelectorAll('iframe, audio, video, source')];
  const addresses = frames.flatMap((frame) => frame.getAttribute('src') ?? []);
  return {
    kinds: body.children.length === 0 && html !== '' ? ['p'] : [...body.children].map(kindOf),
    words: [textOf(html).trim(), ...addresses].filter(Boolean).join('\n'),
    pictures: [...body.querySelectorAll('img')].map((image) => ({
      src: image.getAttribute('src') ?? '',
      alt: image.getAttribute('alt') ?? '',
    })),
  };
}
