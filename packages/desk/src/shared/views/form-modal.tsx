import { useState } from 'preact/hooks';
import type { Say } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Modal, type ModalProps } from './modal.tsx';

/** A dialog with a form: Escape and a click beside it ask before they discard what was typed. */
export function FormModal({ say, onClose, ...modal }: ModalProps & { say: Say }) {
  const [isTouched, setTouched] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Modal
        {...modal}
        onInput={() => setTouched(true)}
        onClose={isTouched ? () => setAsking(true) : onClose}
      />
      {isAsking && (
        <Modal title={say('discardTitle')} onClose={() => setAsking(false)} look="small">
          <div class="modal-buttons">
            <Button kind="danger" onClick={onClose}>
              {say('discard')}
            </Button>
            <Button kind="primary" onClick={() => setAsking(false)} autofocus>
              {say('goOnWriting')}
            </Button>
          </div>
        </Modal>
      )}
    </>
  );
}
