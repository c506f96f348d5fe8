import { useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import type { TrashSize } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { useListActions } from './list-actions.ts';

/** Deletes the selected articles of the trash for good, once somebody has confirmed how many. */
export function EraseButton() {
  const { list, texts } = useApp();
  const { say } = texts;
  const actions = useListActions();
  const [isAsked, ask] = useState(false);
  const count = list.chosen.value.size;
  return (
    <>
      <Button icon="delete" onClick={() => ask(true)}>
        {say('eraseChosen')}
      </Button>
      {isAsked && (
        <EraseDialog
          size={{ count, isExact: true }}
          onClose={() => ask(false)}
          onConfirm={() => {
            ask(false);
            void actions.erase();
          }}
        />
      )}
    </>
  );
}

/** Deletes everything in the trash for good: what was there when somebody confirmed how many. */
export function EmptyTrashButton() {
  const { api, list, me, notices, texts } = useApp();
  const { say } = texts;
  const actions = useListActions();
  const [asked, ask] = useState<TrashSize>();
  const until = asked?.until;
  if (!me.may('edit') || list.articles.value.length === 0) return null;
  const count = () =>
    api
      .trashSize()
      .then(ask, (error: unknown) => notices.failed(say('notChanged', { reason: errorWords(error, say) })));
  return (
    <>
      <Button icon="delete" onClick={() => void count()}>
        {say('emptyTrash')}
      </Button>
      {asked !== undefined && until !== undefined && (
        <EraseDialog
          size={asked}
          onClose={() => ask(undefined)}
          onConfirm={() => {
            ask(undefined);
            void actions.emptyTrash(until);
          }}
        />
      )}
    </>
  );
}

interface EraseDialogProps {
  size: Pick<TrashSize, 'count' | 'isExact'>;
  onClose: () => void;
  onConfirm: () => void;
}

function EraseDialog({ size: { count, isExact }, onClose, onConfirm }: EraseDialogProps) {
  const { say } = useApp().texts;
  return (
    <Modal title={say(isExact ? 'eraseTitle' : 'eraseMoreTitle', { count })} onClose={onClose} look="small">
      <p class="hint">{say('eraseHint')}</p>
      <div class="modal-buttons">
        <Button onClick={onClose} autofocus>
          {say('cancel')}
        </Button>
        <Button kind="danger" onClick={onConfirm}>
          {say('erase')}
        </Button>
      </div>
    </Modal>
  );
}
