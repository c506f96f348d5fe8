import { useDesk } from '../desk.ts';
import { Button } from './button.tsx';

/** The only button of a dialog that asks nothing. */
export function DialogClose({ onClose }: { onClose: () => void }) {
  const { texts } = useDesk();
  return (
    <div class="modal-buttons">
      <Button onClick={onClose} autofocus>
        {texts.say('close')}
      </Button>
    </div>
  );
}
