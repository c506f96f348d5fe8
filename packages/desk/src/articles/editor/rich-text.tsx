import { lazy, Suspense } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type EditorState, NodeSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { isApple } from '../../shared/state/apple.ts';
import { afterPaint } from './editing/after-paint.ts';
import { placeholder } from './editing/block-menu.ts';
import { leaveFigure } from './editing/blocks.ts';
import { clipboard } from './editing/clipboard.ts';
import {
  type CommentMarks,
  commentMarks,
  scrollToComment,
  selectedAnchor,
  showComments,
} from './editing/comment-marks.ts';
import { embedAddressOf } from './editing/embeds.ts';
import { insertFigure, type Picture, selectedPicture } from './editing/figures.ts';
import { Reporting } from './editing/reporting.ts';
import { takeSeenSelection } from './editing/seen-selection.ts';
import { editorState } from './editing/state.ts';
import { takeIn } from './editing/take-in.ts';
import { readHtml } from './html/read-html.ts';
import type { EditorTexts } from './text/editor-texts.ts';
import type { TextLength } from './text-length.ts';
import { BlockMenu } from './views/block-menu.tsx';
import { EditorDialog, type FindEmbed, type OpenDialog } from './views/dialogs.tsx';
import { nodeViews } from './views/node-views.ts';
import { SelectionTools } from './views/selection-tools.tsx';
import { Toolbar } from './views/toolbar.tsx';
import type { Asking } from './views/tools.ts';

// Few texts are searched.
const FindBar = lazy(() => import('./views/find-bar.tsx').then(({ FindBar: View }) => ({ default: View })));

export interface RichTextProps {
  /**
   * The article. Where it is another one than that which was last reported, the one that is edited becomes
   * it.
   */
  readonly html: string;
  /** The number of reports that `html` includes: a text that lacks the latest is not shown. */
  readonly heard: number;
  /**
   * Hears what the article has become, from the one that was last known: when the writer pauses, and when the
   * editor loses the focus or goes.
   */
  readonly onChange: (html: string, known: string) => void;
  readonly texts: EditorTexts;
  readonly pickPicture: () => Promise<Picture | undefined>;
  /** Without it, an embed is made by its address alone. */
  readonly findEmbed?: FindEmbed;
  /** Takes a picture that has been pasted or dropped. */
  readonly uploadPicture: (file: File) => Promise<Picture | undefined>;
  readonly disabled?: boolean;
  /** Names the text, for people who hear the page. */
  readonly label: string;
  readonly onLength?: (length: TextLength) => void;
  /** Without it, there is nothing to comment. */
  readonly comments?: CommentMarks | undefined;
}

/** A surface to write an article on; what it reports is what content accepts. */
export function RichText(props: RichTextProps) {
  const { html, heard, texts, disabled = false, label, comments } = props;
  const { say } = texts;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const known = useRef(html);
  const reports = useRef(heard);
  const [editor, setEditor] = useState<{ view: EditorView; reporting: Reporting }>();
  const [state, setState] = useState<EditorState>();
  /** The first one is open; several pictures may have been dropped. */
  const [dialogs, setDialogs] = useState<readonly OpenDialog[]>([]);
  const open = (one: OpenDialog) => setDialogs((others) => [...others, one]);
  /** The number of requests to find something; undefined while nobody looks. */
  const [finding, setFinding] = useState<number>();
  const find = () => setFinding((before = 0) => before + 1);
  const [said, setSaid] = useState('');
  const isGone = useRef(false);
  const undescribed = useRef(dialogs);
  undescribed.current = dialogs;

  const addFiles = async (files: readonly File[]) => {
    for (const file of files) {
      setSaid(say('editorUploading', { name: file.name }));
      const picture = await latest.current.uploadPicture(file).catch(() => undefined);
      setSaid(picture === undefined ? say('editorUploadFailed', { name: file.name }) : '');
      if (isGone.current) picture?.takeBack?.();
      else if (picture !== undefined) open({ kind: 'picture', added: picture });
    }
  };
  const leaving = useRef(new AbortController());
  const embed = async (view: EditorView, address: string) => {
    const { signal } = leaving.current;
    const found = await latest.current.findEmbed?.(address, signal);
    if (signal.aborted || typeof found !== 'object') return;
    if (embedAddressOf(view, address, found)) setSaid(say('editorEmbedded'));
  };
  const mark = (view: EditorView) => {
    const marks = latest.current.comments;
    if (marks !== undefined) marks.onPlaces(showComments(view, marks));
  };
  const comment = (view: EditorView) => {
    takeSeenSelection(view);
    latest.current.comments?.onComment(selectedAnchor(view));
  };
  const ask = async (asking: Exclude<Asking, 'comment'>) => {
    if (asking === 'find') return find();
    if (asking === 'describe') return open({ kind: 'picture' });
    if (asking !== 'picture' && asking !== 'beside') return open({ kind: asking });
    const picture = await latest.current.pickPicture();
    if (picture !== undefined) open({ kind: 'picture', added: picture, isBeside: asking === 'beside' });
  };

  useEffect(() => {
    if (host.current === null) return;
    // Those that have come with the selection are nearer.
    const toTools = () =>
      ['.rich-text-selection', '[role="toolbar"]']
        .map((tools) => host.current?.parentElement?.querySelector<HTMLElement>(`${tools} [tabindex="0"]`))
        .find((tool) => tool != null)
        ?.focus();
    let isDue = false;
    // The text is shown first; the tools follow a moment later.
    const showTools = () => {
      if (isDue) return;
      isDue = true;
      afterPaint(() => {
        isDue = false;
        setState(view.state);
      });
    };
    const view: EditorView = new EditorView(host.current, {
      state: editorState(readHtml(latest.current.html), [
        clipboard(
          (files) => void addFiles(files),
          latest.current.findEmbed && ((address) => void embed(view, address)),
        ),
        commentMarks((id) => latest.current.comments?.onOpen(id)),
        placeholder(latest.current.texts.say('editorPlaceholder')),
      ]),
      nodeViews: nodeViews(latest.current.texts),
      editable: () => latest.current.disabled !== true,
      attributes: () => ({
        'aria-label': latest.current.label,
        'aria-multiline': 'true',
        'aria-readonly': String(latest.current.disabled === true),
        class: 'rich-text-surface',
        role: 'textbox',
        tabindex: '0',
      }),
      dispatchTransaction: (tr) => {
        view.updateState(view.state.apply(tr));
        showTools();
        if (tr.docChanged) reporting.changed();
      },
      handleKeyDown: (_view, event) => {
        const isMod = isApple ? event.metaKey : event.ctrlKey;
        if (isMod && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
          takeSeenSelection(view);
          void ask('link');
        } else if (isMod && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'f') {
          takeSeenSelection(view);
          find();
        } else if (isMod && event.altKey && event.code === 'KeyM' && latest.current.comments) {
          comment(view);
        } else if (event.key === 'Enter' && selectedPicture(view.state) !== undefined)
          open({ kind: 'picture' });
        else if (event.altKey && event.key === 'F10') toTools();
        else {
          // Who has put a picture in writes on behind it.
          if (isTyped(event) && selectedPicture(view.state) !== undefined)
            leaveFigure(view.state, view.dispatch);
          return false;
        }
        return true;
      },
      handleDoubleClickOn: (_view, _pos, node, nodePos) => {
        if (node.type.name !== 'picture' && node.type.name !== 'image') return false;
        view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, nodePos)));
        open({ kind: 'picture' });
        return true;
      },
      handleDOMEvents: { blur: () => reporting.flush() },
    });
    const reporting = new Reporting(view, () => ({
      onChange: (written) => {
        const before = known.current;
        known.current = written;
        reports.current += 1;
        latest.current.onChange(written, before);
        mark(view);
      },
      onLength: latest.current.onLength,
    }));
    const leave = () => reporting.flush();
    addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', leave);
    reporting.reset();
    setEditor({ view, reporting });
    setState(view.state);
    return () => {
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', leave);
      isGone.current = true;
      leaving.current.abort();
      for (const one of undescribed.current)
        if (one.kind === 'picture' && one.added)
          insertFigure(one.added, { caption: '', credit: '' })(view.state, view.dispatch);
      reporting.flush();
      view.destroy();
    };
  }, []);

  useEffect(() => {
    if (editor === undefined || html === known.current) return;
    const { view, reporting } = editor;
    // The report at its end brings the rest.
    if (view.composing) return;
    reporting.flush();
    // This text lacks what has been reported since; the next one will have it.
    if (reports.current !== heard) return;
    known.current = html;
    takeIn(view, readHtml(html));
    reporting.reset();
    mark(view);
  }, [editor, html, heard]);

  useEffect(() => {
    if (editor !== undefined) mark(editor.view);
  }, [editor, comments]);

  const active = comments?.active;
  useEffect(() => {
    if (editor !== undefined && active?.isInText === false) scrollToComment(editor.view);
  }, [editor, active]);

  // The view asks for these when it is updated.
  useEffect(() => editor?.view.setProps({}), [editor, disabled, label]);

  // While a dialog is open, nothing else can have the focus.
  const isAsked = dialogs.length > 0;
  const wasAsked = useRef(false);
  useLayoutEffect(() => {
    if (wasAsked.current && !isAsked && editor !== undefined) {
      editor.view.focus();
      // What the dialog put in could not be scrolled to while the focus was there.
      editor.view.dispatch(editor.view.state.tr.scrollIntoView());
    }
    wasAsked.current = isAsked;
  }, [editor, isAsked]);

  const close = () => setDialogs((others) => others.slice(1));
  const use = (asking: Asking) => {
    if (asking !== 'comment') void ask(asking);
    else if (editor !== undefined) comment(editor.view);
  };
  return (
    <div class="rich-text">
      {editor && state && (
        <Toolbar
          view={editor.view}
          state={state}
          texts={texts}
          disabled={disabled}
          canComment={comments !== undefined}
          onAsk={use}
        >
          {finding !== undefined && !disabled && (
            <Suspense fallback={null}>
              <FindBar
                view={editor.view}
                state={state}
                texts={texts}
                asked={finding}
                onClose={() => setFinding(undefined)}
              />
            </Suspense>
          )}
        </Toolbar>
      )}
      <div ref={host} />
      {editor && state && !disabled && (
        <>
          <BlockMenu view={editor.view} state={state} texts={texts} onAsk={use} />
          {finding === undefined && (
            <SelectionTools view={editor.view} state={state} texts={texts} onAsk={use} />
          )}
        </>
      )}
      <p class="rich-text-said" role="status">
        {said}
      </p>
      {editor && dialogs[0] && (
        <EditorDialog
          key={dialogs.length}
          open={dialogs[0]}
          view={editor.view}
          texts={texts}
          pickPicture={props.pickPicture}
          findEmbed={props.findEmbed}
          onClose={close}
        />
      )}
    </div>
  );
}

/** True for a key that writes, also by an input method. */
function isTyped({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return /^(?:.|Process|Dead|Unidentified)$/u.test(key) && !ctrlKey && !metaKey && (isApple || !altKey);
}
