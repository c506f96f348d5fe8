import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import type { Revision } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { textOf } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { mayChange } from '../state/rights.ts';
import { Differences } from './differences.tsx';

/** The revisions of an article, each beside what it says now. */
export function HistoryDialog({ open, onClose }: { open: OpenArticle; onClose: () => void }) {
  const { api, me, texts } = useApp();
  const { say } = texts;
  const { id } = open;
  const [revisions, setRevisions] = useState<readonly Revision[]>([]);
  const [shown, setShown] = useState<number>();
  const [old, setOld] = useState<{ title: string; content: string }>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (id === undefined) return;
    api.revisions(id).then(
      (found) => {
        setRevisions(found);
        setShown((found[1] ?? found[0])?.revision);
      },
      (error: unknown) => setProblem(errorWords(error, say)),
    );
  }, [api, id]);
  useEffect(() => {
    if (id === undefined || shown === undefined) return;
    let isCurrent = true;
    setOld(undefined);
    api.revision(id, shown).then(
      (found) => isCurrent && setOld(found),
      (error: unknown) => isCurrent && setProblem(errorWords(error, say)),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, id, shown]);
  const restore = async () => {
    if (shown === undefined) return;
    if (await open.restore(shown)) onClose();
    else setProblem(errorWords(open.problem.peek(), say));
  };
  const { title, content } = open.fields.value;
  const now = `${title}\n${textOf(content)}`;
  const before = old === undefined ? undefined : `${old.title}\n${textOf(old.content)}`;
  return (
    <Modal title={say('historyOf')} onClose={onClose} look="broad">
      <div class="revisions">
        <ul class="history-list">
          {revisions.map(({ revision, created_at: at, key }) => (
            <li key={revision}>
              <button
                type="button"
                aria-pressed={revision === shown}
                class="history-entry"
                onClick={() => setShown(revision)}
              >
                <strong>{say('revisionOf', { revision })}</strong>
                <span class="hint">
                  {say('byAt', { who: key?.name ?? say('somebody'), date: texts.date(Date.parse(at)) })}
                </span>
              </button>
            </li>
          ))}
        </ul>
        <section class="history-text" aria-label={say('text')}>
          {before === now && <p class="hint">{say('noDifference')}</p>}
          {before !== undefined && <Differences before={before} after={now} />}
        </section>
      </div>
      <p class="form-problem" role="alert">
        {problem}
      </p>
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
        {mayChange(me, open.article.value) && (
          <Button kind="primary" disabled={old === undefined} onClick={() => void restore()}>
            {say('restoreRevision')}
          </Button>
        )}
      </div>
    </Modal>
  );
}
