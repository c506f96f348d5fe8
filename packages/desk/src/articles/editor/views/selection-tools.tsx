import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Selection, TextSelection } from 'prosemirror-state';
import { takeSeenSelection } from '../editing/seen-selection.ts';
import { type ToolbarProps, ToolRow } from './toolbar.tsx';
import { SELECTION_TOOLS } from './tools.ts';

/** The tools for the selected text, below its end: they cover none of it, nor what a phone shows above. */
export function SelectionTools(props: Omit<ToolbarProps, 'canComment' | 'disabled'>) {
  const { view, texts } = props;
  const { selection } = view.state;
  const tools = useRef<HTMLDivElement>(null);
  const [closedFor, setClosedFor] = useState<Selection>();
  const isPressed = usePressed(view.dom);
  if (closedFor?.eq(selection) === false) setClosedFor(undefined);
  const isText = selection instanceof TextSelection && !selection.$from.parent.type.spec.code;
  const isShown = isText && !selection.empty && !isPressed && closedFor === undefined;
  useLayoutEffect(() => {
    if (!isShown) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      takeSeenSelection(view);
      setClosedFor(view.state.selection);
      view.focus();
    };
    const places = [view.dom, tools.current];
    for (const place of places) place?.addEventListener('keydown', onKey, true);
    return () => {
      for (const place of places) place?.removeEventListener('keydown', onKey, true);
    };
  }, [isShown, view]);
  if (!isShown) return null;
  const { left, bottom } = view.coordsAtPos(selection.to, -1);
  const box = view.dom.closest('.rich-text')?.getBoundingClientRect();
  return (
    <div
      ref={tools}
      class="rich-text-selection"
      style={{
        top: `${bottom - (box?.top ?? 0)}px`,
        left: `max(0px, min(${left - (box?.left ?? 0)}px, 100% - 14rem))`,
      }}
    >
      <ToolRow
        label={texts.say('editorSelectionTools')}
        groups={SELECTION_TOOLS}
        disabled={false}
        {...props}
      />
    </div>
  );
}

/** True while a pointer selects: what appears under it would be in its way. */
function usePressed(dom: HTMLElement): boolean {
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    const press = () => setPressed(true);
    const release = () => setPressed(false);
    dom.addEventListener('pointerdown', press);
    addEventListener('pointerup', release);
    addEventListener('pointercancel', release);
    return () => {
      dom.removeEventListener('pointerdown', press);
      removeEventListener('pointerup', release);
      removeEventListener('pointercancel', release);
    };
  }, [dom]);
  return isPressed;
}
