import { useDesk } from '../desk.ts';
import { DialogClose } from './dialog-close.tsx';
import { Modal } from './modal.tsx';

interface KeyboardHelpProps {
  keys: readonly (readonly [keys: string, text: string])[];
  onClose: () => void;
}

export function KeyboardHelp({ keys, onClose }: KeyboardHelpProps) {
  const { texts } = useDesk();
  return (
    <Modal title={texts.say('keyboard')} onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <DialogClose onClose={onClose} />
    </Modal>
  );
}
