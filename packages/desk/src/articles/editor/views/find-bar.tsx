import { CaseSensitive, ChevronDown, ChevronUp, type LucideIcon, WholeWord, X } from 'lucide-preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EditorState } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { isApple } from '../../../shared/state/apple.ts';
import { Button } from '../../../shared/views/button.tsx';
import {
  beginSearch,
  goToMatch,
  lookFor,
  matchCount,
  replaceMatch,
  replaceMatches,
  selectedWords,
} from '../editing/search.ts';
import type { EditorTexts } from '../text/editor-texts.ts';
import { shownKeys } from '../text/shortcuts.ts';

interface FindBarProps {
  readonly view: EditorView;
  /** The state that is shown: the view's own changes in place. */
  readonly state: EditorState;
  readonly texts: EditorTexts;
  /** Raised each time that somebody asks for the bar. */
  readonly asked: number;
  readonly onClose: () => void;
}

/** Finds words in the text, and replaces them. */
export function FindBar({ view, state, texts: { say }, asked, onClose }: FindBarProps) {
  const [words, setWords] = useState(() => selectedWords(view.state));
  const [replacement, setReplacement] = useState('');
  const [isCaseSensitive, setCaseSensitive] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const [replaced, setReplaced] = useState<number>();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => beginSearch(view), [view]);
  useLayoutEffect(() => {
    const selected = selectedWords(view.state);
    const input = field.current;
    if (input === null) return;
    // Written at once, so that it can be selected.
    if (selected !== '') input.value = selected;
    setWords(input.value);
    input.focus();
    input.select();
  }, [view, asked]);
  useEffect(() => {
    setReplaced(undefined);
    lookFor(view, { words, isCaseSensitive, isWhole });
  }, [view, words, isCaseSensitive, isWhole]);

  const close = () => {
    onClose();
    view.focus();
  };
  const go = (way: 'next' | 'previous') => {
    setReplaced(undefined);
    goToMatch(view, way);
  };
  const replaceOne = () => {
    setReplaced(undefined);
    replaceMatch(view, replacement);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const isFind = (isApple ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === 'f';
    if (event.key === 'Escape') close();
    else if (isFind) field.current?.select();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onEnter = (use: (event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    use(event);
  };
  const { current, total } = matchCount(state);
  const count = total === 0 ? say('editorNoMatch') : say('editorMatch', { current, total });
  const status = replaced === undefined ? count : say('editorReplaced', { total: replaced });
  return (
    <search class="rich-text-find" aria-label={say('editorFind')} onKeyDown={onKey}>
      <div class="rich-text-find-row">
        <input
          ref={field}
          aria-label={say('editorFindWords')}
          placeholder={say('editorFindWords')}
          value={words}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
          onKeyDown={onEnter(({ shiftKey }) => go(shiftKey ? 'previous' : 'next'))}
        />
        <output class="hint">{words === '' ? '' : status}</output>
        <div class="rich-text-group">
          <Tool
            icon={ChevronUp}
            name={say('editorPreviousMatch')}
            keys="Shift + Enter"
            onUse={() => go('previous')}
          />
          <Tool icon={ChevronDown} name={say('editorNextMatch')} keys="Enter" onUse={() => go('next')} />
          <Tool
            icon={CaseSensitive}
            name={say('editorMatchCase')}
            isOn={isCaseSensitive}
            onUse={() => setCaseSensitive(!isCaseSensitive)}
          />
          <Tool
            icon={WholeWord}
            name={say('editorWholeWords')}
            isOn={isWhole}
            onUse={() => setWhole(!isWhole)}
          />
        </div>
        <span class="space" />
        <Tool icon={X} name={say('editorEndFind')} keys="Esc" onUse={close} />
      </div>
      <div class="rich-text-find-row">
        <input
          aria-label={say('editorReplacement')}
          placeholder={say('editorReplacement')}
          value={replacement}
          dir="auto"
          autocomplete="off"
          onInput={({ currentTarget }) => setReplacement(currentTarget.value)}
          onKeyDown={onEnter(replaceOne)}
        />
        <Button disabled={total === 0} onClick={replaceOne}>
          {say('editorReplaceOne')}
        </Button>
        <Button disabled={total === 0} onClick={() => setReplaced(replaceMatches(view, replacement))}>
          {say('editorReplaceAll')}
        </Button>
      </div>
    </search>
  );
}

interface FindToolProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly keys?: string;
  readonly isOn?: boolean;
  readonly onUse: () => void;
}

function Tool({ icon: Drawing, name, keys, isOn, onUse }: FindToolProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={name}
      title={keys === undefined ? name : `${name} (${shownKeys(keys)})`}
      aria-pressed={isOn}
      onClick={onUse}
    >
      <Drawing size={18} strokeWidth={1.75} aria-hidden="true" class="icon" />
    </button>
  );
}
