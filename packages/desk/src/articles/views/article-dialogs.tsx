import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { Names } from '../../shared/views/names.tsx';
import { PictureDialog } from '../../shared/views/picture-dialog.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { Picture } from '../editor/editing/figures.ts';
import type { Conflict, OpenArticle } from '../state/open-article.ts';
import { pageOf } from '../state/site-page.ts';
import { PublishDialog } from './publish-dialog.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { usePictures } from './use-pictures.ts';
import type { Decided } from './use-publish.ts';

// Few articles are compared, which takes more than to write one.
const ConflictDialog = lazy(() =>
  import('./conflict-dialog.tsx').then(({ ConflictDialog: View }) => ({ default: View })),
);
const HistoryDialog = lazy(() =>
  import('./history-dialog.tsx').then(({ HistoryDialog: View }) => ({ default: View })),
);

export type ArticleQuestion =
  | { readonly kind: 'publish' | 'schedule' | 'history' | 'preview' | 'review' }
  /** Pictures that readers cannot see. */
  | { readonly kind: 'unseen'; readonly addresses: readonly string[] }
  | {
      readonly kind: 'picture';
      readonly take: (picture: Picture) => void;
      readonly giveUp?: () => void;
    };

interface ArticleDialogsProps {
  open: OpenArticle;
  isReadOnly: boolean;
  question: ArticleQuestion | undefined;
  ask: (question: ArticleQuestion | undefined) => void;
  /** A conflict about which the writer decides later. */
  putOff: Conflict | undefined;
  onPutOff: (conflict: Conflict) => void;
  onPublish: (decided: Decided) => void;
}

/** The dialog about an article that is open, if there is one. */
export function ArticleDialogs(props: ArticleDialogsProps) {
  return (
    <Suspense fallback={null}>
      <Dialog {...props} />
    </Suspense>
  );
}

function Dialog({ open, isReadOnly, question, ask, putOff, onPutOff, onPublish }: ArticleDialogsProps) {
  const { say } = useApp().texts;
  const pictures = usePictures();
  const close = () => ask(undefined);
  const conflict = open.conflict.value;
  if (conflict !== undefined && conflict !== putOff)
    return <ConflictDialog open={open} conflict={conflict} onClose={() => onPutOff(conflict)} />;
  switch (question?.kind) {
    case 'publish':
      return <PublishDialog open={open} onClose={close} onPublish={() => onPublish('when')} />;
    case 'schedule':
      return <ScheduleDialog open={open} onClose={close} />;
    case 'history':
      return <HistoryDialog open={open} isReadOnly={isReadOnly} onClose={close} />;
    case 'review':
      return <ReviewDialog open={open} onClose={close} onPublish={() => onPublish('nothing')} />;
    case 'preview':
      return <PreviewDialog open={open} onClose={close} />;
    case 'picture':
      return (
        <PictureDialog
          pictures={pictures}
          onClose={() => {
            close();
            question.giveUp?.();
          }}
          onPick={(picture) => {
            close();
            question.take(picture);
          }}
        />
      );
    case 'unseen':
      return (
        <Modal title={say('unseenTitle', { count: question.addresses.length })} onClose={close}>
          <Names names={question.addresses} />
          <p class="hint">{say('unseenHint')}</p>
          <div class="modal-buttons">
            <Button onClick={close} autofocus>
              {say('cancel')}
            </Button>
            <Button
              kind="danger"
              onClick={() => {
                close();
                onPublish('pictures');
              }}
            >
              {say('publishAnyway')}
            </Button>
          </div>
        </Modal>
      );
    default:
      return null;
  }
}

function PreviewDialog({ open, onClose }: { open: OpenArticle; onClose: () => void }) {
  const { api, site, texts } = useApp();
  const { say } = texts;
  const [token, setToken] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const page = pageOf(site.value, open.article.value);
  useEffect(() => {
    if (page === undefined) return;
    void open
      .save()
      .then(() => api.preview(open.id ?? 0))
      .then(setToken, (error: unknown) => setProblem(errorWords(error, say)));
  }, [api, open, page]);
  const address = page?.concat(`?preview=${token}`);
  return (
    <Modal title={say('preview')} onClose={onClose}>
      {page === undefined ? <p>{say('noSite')}</p> : <p class="hint">{say('previewHint')}</p>}
      <p class="form-problem" role="alert">
        {problem}
      </p>
      {token !== undefined && (
        <label class="field">
          <span class="unseen">{say('preview')}</span>
          <input readOnly value={address} onFocus={({ currentTarget }) => currentTarget.select()} />
        </label>
      )}
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
        {token !== undefined && (
          <a class="button primary" href={address} target="_blank" rel="noreferrer">
            {say('openPreview')}
          </a>
        )}
      </div>
    </Modal>
  );
}
