import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useNews } from '../news-context.ts';

interface ConflictProps {
  rows: readonly { readonly label: string; readonly theirs: string; readonly mine: string }[];
  onTheirs: () => void;
  onMine: () => void;
  onClose: () => void;
}

/**
 * Shows the version that somebody else has saved in between, beside one's own; nothing is saved before one is
 * chosen.
 */
export function Conflict({ rows, onTheirs, onMine, onClose }: ConflictProps) {
  const { say } = useNews().texts;
  return (
    <Modal isUnasked title={say('changedMeanwhile')} onClose={onClose} look="wide">
      <p role="alert">{say('conflictHint')}</p>
      <table class="versions">
        <thead>
          <tr>
            <td />
            <th scope="col">{say('theirs')}</th>
            <th scope="col">{say('mine')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, theirs, mine }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{theirs}</td>
              <td>{mine}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="modal-buttons">
        <Button kind="quiet" onClick={onClose}>
          {say('goOnWriting')}
        </Button>
        <Button onClick={onTheirs}>{say('keepTheirs')}</Button>
        <Button kind="primary" onClick={onMine}>
          {say('saveMine')}
        </Button>
      </div>
    </Modal>
  );
}
