import type { Slice } from 'prosemirror-model';
import { Plugin } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { cleanPasted } from '../paste/clean-pasted.ts';
import { looksLikeMarkdown, markdownToHtml } from '../paste/markdown.ts';
import { nodeAround } from './blocks.ts';
import { canEmbedHere, writeAddress } from './embeds.ts';

/** The address of a page, and nothing beside it. */
const ADDRESS = /^https?:\/\/[^\s<>]{3,1990}$/i;

/** Reads what is pasted and dropped: files, HTML of other programs, Markdown, and what has been cut here. */
export function clipboard(
  onFiles: (files: readonly File[]) => void,
  onAddress: ((address: string) => void) | undefined,
): Plugin {
  let copied: Slice | undefined;
  /** A copy from this editor comes back whole, with the parts that are taken out of other HTML. */
  const isOwn = (view: EditorView, html: string) =>
    copied !== undefined && html.includes(view.serializeForClipboard(copied).dom.innerHTML);
  return new Plugin({
    props: {
      transformCopied: (slice) => {
        copied = slice;
        return slice;
      },
      transformPastedHTML: (html) => cleanPasted(html),
      handlePaste: (view, event) => {
        const data = event.clipboardData;
        const html = data?.getData('text/html') ?? '';
        const files = picturesOf(data);
        // Programs for text and tables add a picture of what has been copied.
        if (files.length > 0 && html === '') {
          onFiles(files);
          return true;
        }
        if (copied !== undefined && isOwn(view, html)) {
          view.dispatch(view.state.tr.replaceSelection(copied).scrollIntoView().setMeta('uiEvent', 'paste'));
          return true;
        }
        const text = data?.getData('text/plain') ?? '';
        const address = text.trim();
        if (onAddress !== undefined && html === '' && ADDRESS.test(address) && canEmbedHere(view.state)) {
          writeAddress(address)(view.state, view.dispatch);
          onAddress(address);
          return true;
        }
        if (html !== '' || nodeAround(view.state, 'code_block') || !looksLikeMarkdown(text)) return false;
        void markdownToHtml(text).then((made) => view.pasteHTML(made));
        return true;
      },
      handleDrop: (view, event) => {
        const files = picturesOf(event.dataTransfer);
        if (files.length === 0) return false;
        event.preventDefault();
        view.focus();
        onFiles(files);
        return true;
      },
    },
  });
}

function picturesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
}
