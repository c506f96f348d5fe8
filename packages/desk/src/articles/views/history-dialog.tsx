import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import type { Revision } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { type Fields, fieldsOf } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { isBySchedule, type Session, sessionsOf } from '../state/sessions.ts';
import { VersionDifferences } from './version-differences.tsx';

interface HistoryDialogProps {
  open: OpenArticle;
  isReadOnly: boolean;
  onClose: () => void;
}

/** The versions of an article by days and sessions, each beside the current one. */
export function HistoryDialog({ open, isReadOnly, onClose }: HistoryDialogProps) {
  const { api, texts } = useApp();
  const { say } = texts;
  const { id } = open;
  const [revisions, setRevisions] = useState<readonly Revision[]>([]);
  const [shown, setShown] = useState<number>();
  const [old, setOld] = useState<Fields>();
  const [problem, setProblem] = useState<string>();
  const sessions = useMemo(() => sessionsOf(revisions), [revisions]);
  useEffect(() => {
    if (id === undefined) return;
    api.revisions(id).then(
      (found) => {
        setRevisions(found);
        // Before the last session, or at its beginning if it is the only one.
        setShown((sessionsOf(found)[1]?.[0] ?? found.at(-1))?.revision);
      },
      (error: unknown) => setProblem(errorWords(error, say)),
    );
  }, [api, id]);
  useEffect(() => {
    const article = open.article.peek();
    if (id === undefined || article === undefined || shown === undefined) return;
    let isCurrent = true;
    setOld(undefined);
    api.revision(id, shown).then(
      (found) => isCurrent && setOld(fieldsOf(article, found)),
      (error: unknown) => isCurrent && setProblem(errorWords(error, say)),
    );
    return () => {
      isCurrent = false;
    };
  }, [api, id, open, shown]);
  const restore = async () => {
    if (shown === undefined || old === undefined) return;
    if (await open.restore(shown, old)) onClose();
    else setProblem(errorWords(open.problem.peek(), say));
  };
  const days = Map.groupBy(sessions, ([{ created_at: at }]) => texts.part(Date.parse(at), 'day'));
  return (
    <Modal title={say('historyOf')} onClose={onClose} look="broad">
      <div class="revisions">
        <div class="history-list">
          {[...days].map(([day, sessions]) => (
            <section key={day} aria-label={day}>
              <h3>{day}</h3>
              <ul>
                {sessions.map((session) => (
                  <SessionEntry key={session[0].revision} session={session} shown={shown} onShow={setShown} />
                ))}
              </ul>
            </section>
          ))}
        </div>
        <section class="history-text" aria-label={say('comparedWithNow')}>
          {old !== undefined && <VersionDifferences open={open} old={old} isReadOnly={isReadOnly} />}
        </section>
      </div>
      <p class="form-problem" role="alert">
        {problem}
      </p>
      {!isReadOnly && open.hasCopy.value && <p class="hint">{say('restoreReplaces')}</p>}
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
        {!isReadOnly && (
          <Button kind="primary" disabled={old === undefined} onClick={() => void restore()}>
            {say('restoreRevision')}
          </Button>
        )}
      </div>
    </Modal>
  );
}

interface SessionEntryProps {
  session: Session;
  shown: number | undefined;
  onShow: (revision: number) => void;
}

/** One person's session of changes, shown by its last version; the others can be opened. */
function SessionEntry({ session, shown, onShow }: SessionEntryProps) {
  const { texts } = useApp();
  const { say } = texts;
  const [last, ...earlier] = session;
  const entry = (one: Revision, from = one) => {
    const [begin, end] = [from, one].map(({ created_at: at }) => texts.part(Date.parse(at), 'time'));
    return (
      <button
        type="button"
        aria-pressed={one.revision === shown}
        class="history-entry"
        onClick={() => onShow(one.revision)}
      >
        <span>
          <strong>{begin === end ? end : `${begin} – ${end}`}</strong>{' '}
          {one.is_published && <span class="badge on">{say('published')}</span>}
        </span>
        <span class="hint">{one.key?.name ?? say(isBySchedule(one) ? 'bySchedule' : 'somebody')}</span>
      </button>
    );
  };
  return (
    <li>
      {entry(last, session.at(-1))}
      {earlier.length > 0 && (
        <details>
          <summary>{say('earlierChanges', { count: earlier.length })}</summary>
          <ul>
            {earlier.map((one) => (
              <li key={one.revision}>{entry(one)}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
