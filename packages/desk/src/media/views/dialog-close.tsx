import { useApp } from '../app-context.ts';
import { Button } from './button.tsx';

/** The only button of a dialog that asks nothing. */
export function DialogClose() {
  const { dialogs, texts } = useApp();
  return (
    <div class="modal-buttons">
      <Button onClick={() => dialogs.close()} autofocus>
        {texts.say('close')}
      </Button>
    </div>
  );
}
