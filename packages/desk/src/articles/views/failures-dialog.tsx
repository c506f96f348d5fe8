import { Button } from '../../shared/views/button.tsx';
import { onGo } from '../../shared/views/link.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import type { Failure } from '../state/notices.ts';

/** The articles with which something failed, by the reason. */
export function FailuresDialog({ failures, onClose }: { failures: readonly Failure[]; onClose: () => void }) {
  const { place, texts } = useApp();
  const { say } = texts;
  const byReason = [...Map.groupBy(failures, ({ reason }) => reason)];
  return (
    <Modal title={say('failedTitle', { count: failures.length })} onClose={onClose} look="wide">
      <div class="failures">
        {byReason.map(([reason, some]) => (
          <section key={reason}>
            <h3>{reason}</h3>
            <ul>
              {some.map(({ id, title }) => (
                <li key={id}>
                  <a
                    href={place.hrefOf(id)}
                    onClick={onGo(() => {
                      onClose();
                      place.open(id);
                    })}
                  >
                    <bdi>{texts.title(title)}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div class="modal-buttons">
        <Button onClick={onClose} autofocus>
          {say('close')}
        </Button>
      </div>
    </Modal>
  );
}
