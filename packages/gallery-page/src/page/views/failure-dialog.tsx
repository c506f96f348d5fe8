import { useApp } from '../app-context.ts';
import { DialogClose } from './dialog-close.tsx';
import { Modal } from './modal.tsx';

interface FailureProps {
  what: 'copy' | 'download';
  reason: string;
}

/** Says why something did not happen that leaves no trace on the page. */
export function FailureDialog({ what, reason }: FailureProps) {
  const { dialogs, texts } = useApp();
  const { say } = texts;
  return (
    <Modal title={say(what === 'copy' ? 'notCopied' : 'notDownloaded')} onClose={() => dialogs.close()}>
      <p role="alert">{reason}</p>
      <DialogClose />
    </Modal>
  );
}
