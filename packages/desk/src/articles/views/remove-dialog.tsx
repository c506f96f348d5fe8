import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import type { Removal } from '../state/notices.ts';

/** Asks before articles are deleted that readers see, that have a plan or that somebody has open. */
export function RemoveDialog({ removal }: { removal: Removal }) {
  const { notices, texts } = useApp();
  const { say } = texts;
  const { count, title, published, scheduled, names, go } = removal;
  const close = () => {
    notices.removal.value = undefined;
  };
  return (
    <Modal
      title={title === undefined ? say('removeTitle', { count }) : say('removeNamed', { title })}
      onClose={close}
      look="small"
    >
      {published > 0 && <p>{say('removePublished', { count: published })}</p>}
      {scheduled > 0 && <p>{say('removeScheduled', { count: scheduled })}</p>}
      {names !== '' && <p>{say('removeOpen', { names })}</p>}
      <div class="modal-buttons">
        <Button onClick={close} autofocus>
          {say('cancel')}
        </Button>
        <Button
          kind="danger"
          onClick={() => {
            close();
            go();
          }}
        >
          {say('delete')}
        </Button>
      </div>
    </Modal>
  );
}
