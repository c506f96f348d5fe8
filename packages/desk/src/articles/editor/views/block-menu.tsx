import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EditorState } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { folded } from '../../../shared/state/folded.ts';
import { type BlockQuery, blockQuery } from '../editing/block-menu.ts';
import type { EditorTexts } from '../text/editor-texts.ts';
import { type Asking, BLOCK_TOOLS, type Tool } from './tools.ts';

interface BlockMenuProps {
  readonly view: EditorView;
  readonly state: EditorState;
  readonly texts: EditorTexts;
  readonly onAsk: (asking: Asking) => void;
}

/** The blocks that a `/` at the beginning of a paragraph offers. */
export function BlockMenu({ view, state, texts, onAsk }: BlockMenuProps) {
  const query = blockQuery(state);
  /** Where somebody has closed it: there, a `/` is a `/`. */
  const [closedAt, setClosedAt] = useState<number>();
  if (query === undefined && closedAt !== undefined) setClosedAt(undefined);
  if (query === undefined || query.from === closedAt) return null;
  const matching = ({ words }: BlockQuery) =>
    BLOCK_TOOLS.filter(({ text }) => folded(texts.say(text)).includes(folded(words.trim())));
  const found = matching(query);
  if (found.length === 0) return null;
  const use = (seen: Tool) => {
    // Letters typed since the menu was drawn count.
    const typed = blockQuery(view.state);
    if (typed === undefined) return;
    const { does } = typed.words === query.words ? seen : (matching(typed)[0] ?? seen);
    view.dispatch(view.state.tr.delete(typed.from, typed.to));
    if (typeof does === 'string') onAsk(does);
    else {
      does(view.state, view.dispatch, view);
      view.focus();
    }
  };
  return (
    <Options
      key={query.from}
      {...{ view, texts, query, found }}
      onUse={use}
      onClose={() => setClosedAt(query.from)}
      isDue={() => {
        const typed = blockQuery(view.state);
        return typed !== undefined && matching(typed).length > 0;
      }}
    />
  );
}

interface OptionsProps {
  view: EditorView;
  texts: EditorTexts;
  query: BlockQuery;
  found: readonly Tool[];
  onUse: (tool: Tool) => void;
  onClose: () => void;
  /** True while what is typed by now has blocks. */
  isDue: () => boolean;
}

/** A list box whose keys are those of the text, which keeps the focus. */
function Options({ view, texts, query, found, onUse, onClose, isDue }: OptionsProps) {
  const { say } = texts;
  const list = useRef<HTMLDivElement>(null);
  const [choice, setChoice] = useState({ words: query.words, index: 0 });
  const choose = (index: number) => setChoice({ words: query.words, index });
  const current = choice.words === query.words ? choice.index : 0;
  useLayoutEffect(() => {
    const { dom } = view;
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      // The text may have gone on since the menu was drawn: its keys are the writer's again.
      if (!isDue()) return;
      const tool = found[current];
      if (event.key === 'ArrowDown') choose((current + 1) % found.length);
      else if (event.key === 'ArrowUp') choose((current + found.length - 1) % found.length);
      else if (event.key === 'Escape') onClose();
      else if ((event.key === 'Enter' || event.key === 'Tab') && tool) onUse(tool);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    dom.addEventListener('keydown', onKey, true);
    return () => dom.removeEventListener('keydown', onKey, true);
  });
  useLayoutEffect(() => {
    const { dom } = view;
    dom.setAttribute('aria-controls', 'rich-text-blocks');
    dom.setAttribute('aria-activedescendant', `rich-text-block-${current}`);
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
    return () => {
      dom.removeAttribute('aria-controls');
      dom.removeAttribute('aria-activedescendant');
    };
  }, [view, current]);
  const { left, bottom } = view.coordsAtPos(query.from);
  const box = view.dom.closest('.rich-text')?.getBoundingClientRect();
  return (
    <div
      ref={list}
      id="rich-text-blocks"
      class="rich-text-blocks"
      role="listbox"
      aria-label={say('editorBlocks')}
      style={{ top: `${bottom - (box?.top ?? 0) + 4}px`, left: `${left - (box?.left ?? 0)}px` }}
    >
      {found.map((tool, index) => {
        const Drawing = tool.icon;
        return (
          <button
            key={tool.text}
            id={`rich-text-block-${index}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => choose(index)}
            onClick={() => onUse(tool)}
          >
            <Drawing size={18} strokeWidth={1.75} aria-hidden="true" class="icon" />
            {say(tool.text)}
          </button>
        );
      })}
    </div>
  );
}
