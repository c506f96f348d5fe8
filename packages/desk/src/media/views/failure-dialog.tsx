import { DialogClose } from '../../shared/views/dialog-close.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';

const TITLES = { copy: 'notCopied', download: 'notDownloaded', articles: 'notChanged' } as const;

interface FailureProps {
  what: 'copy' | 'download' | 'articles';
  reason: string;
}

/** Says why something did not happen that leaves no trace on the page. */
export function FailureDialog({ what, reason }: FailureProps) {
  const { dialogs, texts } = useApp();
  const { say } = texts;
  return (
    <Modal isUnasked title={say(TITLES[what])} onClose={() => dialogs.close()}>
      <p role="alert" class="reason">
        {reason}
      </p>
      <DialogClose onClose={() => dialogs.close()} />
    </Modal>
  );
}
