import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { Failure, Notice } from '../state/notices.ts';

const FailuresDialog = lazy(() =>
  import('./failures-dialog.tsx').then(({ FailuresDialog: View }) => ({ default: View })),
);

const RemoveDialog = lazy(() =>
  import('./remove-dialog.tsx').then(({ RemoveDialog: View }) => ({ default: View })),
);

/** The last action, with the button that undoes it, and how far the one is that takes long. */
export function NoticeView() {
  const { list, notices, texts } = useApp();
  const { say } = texts;
  const notice = notices.latest.value;
  const [shown, show] = useState<readonly Failure[]>();
  const undo = async (take: NonNullable<Notice['undo']>) => {
    notices.dismiss();
    try {
      const more = await take();
      notices.done([say('undone'), more].filter(Boolean).join(' · '));
    } catch (error) {
      notices.failed(say('notChanged', { reason: errorWords(error, say) }));
    }
    await list.reread();
  };
  return (
    <>
      <div class="notices">
        <ProgressCard />
        <div role="status">
          {notice !== undefined && (
            <div class={notice.isFault ? 'notice-card fault' : 'notice-card'}>
              <Icon name={notice.isFault ? 'alert' : 'done'} size={16} />
              <p>{notice.text}</p>
              {notice.failures !== undefined && (
                <Button kind="quiet" onClick={() => show(notice.failures)}>
                  {say('whichFailed')}
                </Button>
              )}
              {notice.undo !== undefined && (
                <Button kind="quiet" onClick={() => notice.undo && void undo(notice.undo)}>
                  {say('undo')}
                </Button>
              )}
              <IconButton icon="close" label={say('dismiss')} onClick={() => notices.dismiss()} />
            </div>
          )}
        </div>
      </div>
      {notices.removal.value !== undefined && (
        <Suspense fallback={null}>
          <RemoveDialog removal={notices.removal.value} />
        </Suspense>
      )}
      {shown !== undefined && (
        <Suspense fallback={null}>
          <FailuresDialog failures={shown} onClose={() => show(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** Outside of what is read out by itself: it changes all the time. */
function ProgressCard() {
  const { notices, texts } = useApp();
  const { say } = texts;
  const progress = notices.progress.value;
  if (progress === undefined) return null;
  const { done, count, stop } = progress;
  const words = say('progress', { done, count });
  return (
    <div class="notice-card">
      <div class="notice-progress">
        <p>{words}</p>
        <progress max={count} value={done} aria-label={words} />
      </div>
      <Button kind="quiet" onClick={stop}>
        {say('stop')}
      </Button>
    </div>
  );
}
