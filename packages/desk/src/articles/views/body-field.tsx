import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useUpload } from '../../shared/views/use-upload.ts';
import { useApp } from '../app-context.ts';
import type { CommentMarks } from '../editor/editing/comment-marks.ts';
import type { Picture } from '../editor/editing/figures.ts';
import type { RichText } from '../editor/rich-text.tsx';
import type { TextLength } from '../editor/text-length.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { sizeAt, writtenAlt } from '../state/pictures.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { usePictures } from './use-pictures.ts';

/** The editor, which is loaded when the first article is opened. */
export interface TextEditor {
  readonly RichText: typeof RichText;
  readonly canRepresent: (html: string) => boolean;
  /** The text as it is written here, with what others have changed since the editor knew it as `known`. */
  readonly joined: (written: string, known: string, shown: string) => string;
}

interface BodyFieldProps {
  open: OpenArticle;
  editor: TextEditor | 'failed';
  isReadOnly: boolean;
  onAsk: (question: ArticleQuestion) => void;
  comments: CommentMarks | undefined;
}

/** Loads the editor. */
export function useTextEditor(): TextEditor | 'failed' | undefined {
  const [editor, setEditor] = useState<TextEditor | 'failed'>();
  useEffect(() => {
    loadEditor().then(setEditor, () => setEditor('failed'));
  }, []);
  return editor;
}

/** The text of an article: in the editor, or as its source, which comes back byte for byte. */
export function BodyField({ open, editor, isReadOnly, onAsk, comments }: BodyFieldProps) {
  const { address, api, texts } = useApp();
  const { say } = texts;
  const upload = useUpload(usePictures());
  const [isSource, setSource] = useState(
    () => editor !== 'failed' && !canShow(editor, open.fields.peek().content),
  );
  const [length, setLength] = useState<TextLength>();
  const { content } = open.fields.value;
  const heard = useRef(0);
  const written = useRef(content);
  useEffect(() => {
    if (content === written.current) return;
    written.current = content;
    // It may be from somebody who writes source.
    if (editor !== 'failed' && !canShow(editor, content)) setSource(true);
  }, [content, editor]);
  const isShowable = editor !== 'failed' && (!isSource || canShow(editor, content));
  // An empty text has no language yet but that of its writer.
  const unit =
    length === undefined || (length.count === 0 && texts.language.value === 'zh')
      ? 'characters'
      : length.unit;
  return (
    <>
      {isSource || editor === 'failed' ? (
        <Source open={open} isReadOnly={isReadOnly} />
      ) : (
        <editor.RichText
          html={content}
          heard={heard.current}
          label={say('field_content')}
          disabled={isReadOnly}
          texts={texts}
          onChange={(html, known) => {
            heard.current += 1;
            written.current = editor.joined(html, known, open.fields.peek().content);
            open.edit({ content: written.current });
          }}
          onLength={setLength}
          comments={comments}
          pickPicture={() =>
            new Promise<Picture | undefined>((resolve) => {
              const take = async (picture: Picture) =>
                resolve({
                  ...picture,
                  alt: picture.alt || writtenAlt(open.fields.peek(), address.base, picture.src),
                  ...(await sizeAt(picture.src)),
                });
              onAsk({ kind: 'picture', take: (it) => void take(it), giveUp: () => resolve(undefined) });
            })
          }
          uploadPicture={upload}
          findEmbed={(address, signal) =>
            api.embed(address, signal).catch((error: unknown) => errorWords(error, say))
          }
        />
      )}
      <div class="body-foot">
        {!isShowable && <p class="hint">{say('writtenAsSource')}</p>}
        {!isSource && length !== undefined && <p class="hint">{say(unit, { count: length.count })}</p>}
        <span class="space" />
        <Button
          kind="quiet"
          aria-pressed={isSource}
          disabled={!isShowable}
          onClick={() => setSource((before) => !before)}
        >
          {say('source')}
        </Button>
      </div>
    </>
  );
}

function Source({ open, isReadOnly }: Pick<BodyFieldProps, 'open' | 'isReadOnly'>) {
  const { say } = useApp().texts;
  return (
    <label class="source-field">
      <span class="unseen">{say('field_content')}</span>
      <textarea
        class="source"
        spellcheck={false}
        readOnly={isReadOnly}
        value={open.fields.value.content}
        onInput={({ currentTarget }) => open.edit({ content: currentTarget.value })}
      />
    </label>
  );
}

/** True if the editor writes what it reads; an empty text is not yet an article. */
function canShow({ canRepresent }: TextEditor, html: string): boolean {
  return html === '' || canRepresent(html);
}

async function loadEditor(): Promise<TextEditor> {
  const [{ RichText }, { canRepresent }, { mergeTexts, textFrom }] = await Promise.all([
    import('../editor/rich-text.tsx'),
    import('../editor/can-represent.ts'),
    import('../state/merge-text.ts'),
  ]);
  const joined: TextEditor['joined'] = (written, known, shown) =>
    known === shown ? written : textFrom(mergeTexts(known, written, shown), 'both');
  return { RichText, canRepresent, joined };
}
