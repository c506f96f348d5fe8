import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';

/** The last action, with the button that undoes it. */
export function NoticeView() {
  const { list, notices, texts } = useApp();
  const { say } = texts;
  const notice = notices.latest.value;
  const undo = async (take: () => Promise<void>) => {
    notices.dismiss();
    try {
      await take();
      notices.done(say('undone'));
    } catch (error) {
      notices.failed(say('notChanged', { reason: errorWords(error, say) }));
    }
    await list.reread();
  };
  return (
    <div class="notices" role="status">
      {notice !== undefined && (
        <div class={notice.isFault ? 'notice-card fault' : 'notice-card'}>
          <Icon name={notice.isFault ? 'alert' : 'done'} size={16} />
          <p>{notice.text}</p>
          {notice.undo !== undefined && (
            <Button kind="quiet" onClick={() => notice.undo && void undo(notice.undo)}>
              {say('undo')}
            </Button>
          )}
          <IconButton icon="close" label={say('dismiss')} onClick={() => notices.dismiss()} />
        </div>
      )}
    </div>
  );
}
