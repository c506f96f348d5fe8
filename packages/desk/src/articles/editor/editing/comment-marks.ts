import { Plugin, PluginKey } from 'prosemirror-state';
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view';
import { type Anchor, FlatText } from './anchors.ts';

/** The comments at places of the text, and who hears what becomes of them. */
export interface CommentMarks {
  readonly places: readonly { readonly id: number; readonly anchor: Anchor }[];
  /** The one that is looked at, and whether it is in the text or beside it that somebody has chosen it. */
  readonly active: { readonly id: number; readonly isInText: boolean } | undefined;
  /** Somebody wants to comment what is selected; undefined if that is no text. */
  readonly onComment: (anchor: Anchor | undefined) => void;
  readonly onOpen: (id: number) => void;
  readonly onPlaces: (places: Places) => void;
}

/** The current places of comments. */
export interface Places {
  /** Those whose text is gone. */
  readonly lost: ReadonlySet<number>;
  /** Where those stand that their anchors do not find any more. */
  readonly moved: ReadonlyMap<number, Anchor>;
}

const KEY = new PluginKey<DecorationSet>('comments');

/** Shows where comments stand; the marks move with the text and are no part of it. */
export function commentMarks(onOpen: (id: number) => void): Plugin {
  return new Plugin({
    key: KEY,
    state: {
      init: () => DecorationSet.empty,
      apply: (tr, marks: DecorationSet) => tr.getMeta(KEY) ?? marks.map(tr.mapping, tr.doc),
    },
    props: {
      decorations: (state) => KEY.getState(state),
      handleClick: (view, pos) => {
        const id = KEY.getState(view.state)?.find(pos, pos).at(-1)?.spec.id;
        if (id !== undefined) onOpen(id);
        return false;
      },
    },
  });
}

/** Marks the places of comments, each where it is now, or else where its anchor finds it. */
export function showComments(view: EditorView, { places, active }: CommentMarks): Places {
  const { doc, tr } = view.state;
  const flat = new FlatText(doc);
  const marks: Decoration[] = [];
  const lost = new Set<number>();
  const moved = new Map<number, Anchor>();
  for (const { id, anchor } of places) {
    const found = flat.find(anchor);
    const range = KEY.getState(view.state)?.find(undefined, undefined, (spec) => spec.id === id)[0] ?? found;
    if (range === undefined) {
      lost.add(id);
      continue;
    }
    const { from, to } = range;
    marks.push(
      Decoration.inline(
        from,
        to,
        { class: `rich-text-comment${id === active?.id ? ' active' : ''}` },
        { id },
      ),
    );
    const now = found?.from === from && found.to === to ? undefined : flat.anchorOf(range);
    if (now !== undefined) moved.set(id, now);
  }
  view.dispatch(tr.setMeta(KEY, DecorationSet.create(doc, marks)));
  return { lost, moved };
}

/** Scrolls to the comment that is looked at. */
export function scrollToComment(view: EditorView): void {
  view.dom.querySelector('.rich-text-comment.active')?.scrollIntoView({ block: 'nearest' });
}

/** The anchor of what is selected. */
export function selectedAnchor(view: EditorView): Anchor | undefined {
  const { doc, selection } = view.state;
  return new FlatText(doc).anchorOf(selection);
}
