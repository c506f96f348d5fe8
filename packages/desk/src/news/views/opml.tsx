import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { OpmlOutcome } from '../api/types.ts';
import { useNews } from '../news-context.ts';

/** What has become of the feeds of a file. */
export function OpmlDialog({ outcome, onClose }: { outcome: OpmlOutcome; onClose: () => void }) {
  const { say } = useNews().texts;
  const { added, known, refused } = outcome;
  return (
    <Modal title={say('opmlDone')} onClose={onClose}>
      <p>{say('opmlAdded', { count: added })}</p>
      {known > 0 && <p class="hint">{say('opmlKnown', { count: known })}</p>}
      {refused.length > 0 && (
        <>
          <p class="form-problem">{say('opmlRefused', { count: refused.length })}</p>
          <ul class="names">
            {refused.map(({ url, reason }) => (
              <li key={url}>
                {url}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="modal-buttons">
        <Button kind="primary" onClick={onClose} autofocus>
          {say('close')}
        </Button>
      </div>
    </Modal>
  );
}

/** A file that is dropped anywhere is taken as OPML; true while one is over the page. */
export function useOpmlDrops(take: (file: File) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!isFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      event.preventDefault();
      latest.current(file);
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}
