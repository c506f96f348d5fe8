import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { OpmlOutcome } from '../api/types.ts';
import { useNews } from '../news-context.ts';

export function OpmlDialog({ outcome, onClose }: { outcome: OpmlOutcome; onClose: () => void }) {
  const { say } = useNews().texts;
  const { added, known, refused } = outcome;
  return (
    <Modal isUnasked title={say('opmlDone')} onClose={onClose}>
      <p>{say('opmlAdded', { count: added })}</p>
      {known > 0 && <p class="hint">{say('opmlKnown', { count: known })}</p>}
      {refused.length > 0 && (
        <>
          <p class="form-problem">{say('opmlRefused', { count: refused.length })}</p>
          <ul class="names">
            {refused.map(({ url }) => (
              <li key={url}>{url}</li>
            ))}
          </ul>
        </>
      )}
      <div class="modal-buttons">
        <Button kind="primary" onClick={onClose}>
          {say('close')}
        </Button>
      </div>
    </Modal>
  );
}
