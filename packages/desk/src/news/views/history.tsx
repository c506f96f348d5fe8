import { Button } from '../../shared/views/button.tsx';
import type { Edit } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import type { Say, TextName } from '../text/texts.ts';
import { LABELS } from './item-form.tsx';

/** The members that people know by another name. */
const MEMBERS: Readonly<Record<string, TextName>> = {
  ...LABELS,
  selected: 'isSelected',
  withdrawnAt: 'isWithdrawn',
  story: 'story',
  digest: 'digest',
};

/** The most characters of a value that are shown. */
const SHOWN = 80;

/** Who changed what, the newest first, each with the way back. */
export function HistoryView({
  history,
  onUndo,
}: {
  history: readonly Edit[];
  onUndo: (edit: number) => void;
}) {
  const { me, texts } = useNews();
  const { say } = texts;
  if (history.length === 0) return null;
  return (
    <section class="history">
      <h3>{say('history')}</h3>
      <ol>
        {history.map(({ edit, at, actor, program, action, undoneBy, changes }) => (
          <li key={edit} class={undoneBy === null ? undefined : 'undone'}>
            <div class="history-words">
              <p class="hint">{[actor ?? program, texts.date(Date.parse(at)), action].join(' · ')}</p>
              {changes.map(({ member, before, after }) => (
                <p key={member} class="change">
                  <span class="change-member">
                    {MEMBERS[member] === undefined ? member : say(MEMBERS[member])}
                  </span>{' '}
                  <del>{shown(before, say)}</del> <ins>{shown(after, say)}</ins>
                </p>
              ))}
            </div>
            {undoneBy === null && me.may('edit') && (
              <Button
                kind="quiet"
                icon="undo"
                aria-label={say('undoEdit', { edit })}
                onClick={() => onUndo(edit)}
              >
                {say('undo')}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function shown(value: unknown, say: Say): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
