import { ApiProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import { Modal } from './modal.tsx';
import { ProblemView } from './problem-view.tsx';

/** In the place of what is being loaded. */
export function Loading() {
  const { say } = useDesk().texts;
  return (
    <div class="empty" role="status">
      <span class="spinner" />
      <span class="unseen">{say('loading')}</span>
    </div>
  );
}

const UNREACHABLE = new ApiProblem(0, 'unreachable', 'files of the page cannot be loaded');

/** Stands for what is not shown because its files cannot be loaded. */
export function MissingFiles() {
  // Browsers remember that a module could not be loaded as long as the document lives.
  return <ProblemView problem={UNREACHABLE} onRetry={() => location.reload()} />;
}

/** Says the same where there is no place for it. */
export function MissingFilesDialog({ title, onClose }: { title: string; onClose: () => void }) {
  return (
    <Modal isUnasked title={title} onClose={onClose} look="small">
      <MissingFiles />
    </Modal>
  );
}
