import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type EditorState, NodeSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { isApple } from '../../shared/state/apple.ts';
import { afterPaint } from './editing/after-paint.ts';
import { clipboard } from './editing/clipboard.ts';
import { insertFigure, type Picture, selectedPicture } from './editing/figures.ts';
import { Reporting } from './editing/reporting.ts';
import { takeSeenSelection } from './editing/seen-selection.ts';
import { editorState } from './editing/state.ts';
import { readHtml } from './html/read-html.ts';
import type { EditorTexts } from './text/editor-texts.ts';
import { EditorDialog, type OpenDialog } from './views/dialogs.tsx';
import { nodeViews } from './views/node-views.ts';
import { Toolbar } from './views/toolbar.tsx';
import type { Asking } from './views/tools.ts';

/** What the editor is given by the page around it. */
export interface RichTextProps {
  /** The article. Another one than that which was last reported takes the place of the one that is edited. */
  readonly html: string;
  /**
   * Hears what the article has become: when the writer pauses, and when the editor loses the focus or goes.
   */
  readonly onChange: (html: string) => void;
  readonly texts: EditorTexts;
  readonly pickPicture: () => Promise<Picture | undefined>;
  /** Takes a picture that has been pasted or dropped. */
  readonly uploadPicture: (file: File) => Promise<Picture | undefined>;
  readonly disabled?: boolean;
  /** What is written in it, for people who hear the page. */
  readonly label: string;
  readonly onWords?: (count: number) => void;
}

/** A surface to write an article on; what it reports is what content accepts. */
export function RichText(props: RichTextProps) {
  const { html, texts, disabled = false, label } = props;
  const { say } = texts;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const known = useRef(html);
  const [editor, setEditor] = useState<{ view: EditorView; reporting: Reporting }>();
  const [state, setState] = useState<EditorState>();
  /** The first one is open; several pictures may have been dropped. */
  const [dialogs, setDialogs] = useState<readonly OpenDialog[]>([]);
  const open = (one: OpenDialog) => setDialogs((others) => [...others, one]);
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
  const ask = async (asking: Asking) => {
    if (asking !== 'picture') return open({ kind: asking });
    const picture = await latest.current.pickPicture();
    if (picture !== undefined) open({ kind: 'picture', added: picture });
  };

  useEffect(() => {
    if (host.current === null) return;
    let isDue = false;
    // What is written is seen first; the tools say a moment later what can be done with it.
    const showTools = () => {
      if (isDue) return;
      isDue = true;
      afterPaint(() => {
        isDue = false;
        setState(view.state);
      });
    };
    const view: EditorView = new EditorView(host.current, {
      state: editorState(readHtml(latest.current.html), [clipboard((files) => void addFiles(files))]),
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
        } else if (event.key === 'Enter' && selectedPicture(view.state) !== undefined)
          open({ kind: 'picture' });
        else if (event.altKey && event.key === 'F10')
          host.current?.parentElement?.querySelector<HTMLElement>('[role="toolbar"] [tabindex="0"]')?.focus();
        else return false;
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
        known.current = written;
        latest.current.onChange(written);
      },
      onWords: latest.current.onWords,
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
      for (const one of undescribed.current)
        if (one.kind === 'picture' && one.added) insertFigure(one.added, '')(view.state, view.dispatch);
      reporting.flush();
      view.destroy();
    };
  }, []);

  useEffect(() => {
    if (editor === undefined || html === known.current) return;
    known.current = html;
    const { view, reporting } = editor;
    view.updateState(editorState(readHtml(html), view.state.plugins.slice(0, 1)));
    setState(view.state);
    reporting.reset();
  }, [editor, html]);

  // The view asks for these when it is updated.
  useEffect(() => editor?.view.setProps({}), [editor, disabled, label]);

  // While a dialog is open, nothing else can have the focus.
  const isAsked = dialogs.length > 0;
  const wasAsked = useRef(false);
  useLayoutEffect(() => {
    if (wasAsked.current && !isAsked) editor?.view.focus();
    wasAsked.current = isAsked;
  }, [editor, isAsked]);

  const close = () => setDialogs((others) => others.slice(1));
  return (
    <div class="rich-text">
      {editor && state && (
        <Toolbar
          view={editor.view}
          state={state}
          texts={texts}
          disabled={disabled}
          onAsk={(one) => void ask(one)}
        />
      )}
      <div ref={host} />
      <p class="rich-text-said" role="status">
        {said}
      </p>
      {editor && dialogs[0] && (
        <EditorDialog
          key={dialogs.length}
          open={dialogs[0]}
          view={editor.view}
          texts={texts}
          onClose={close}
        />
      )}
    </div>
  );
}
