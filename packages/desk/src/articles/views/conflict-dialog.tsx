import { useMemo } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import { type FieldName, type Fields, labelOf, textOf } from '../state/fields.ts';
import type { Conflict, OpenArticle } from '../state/open-article.ts';
import { Differences } from './differences.tsx';
import { fieldWords } from './taken-words.ts';

/** Shows side by side what two people have made of the same; nothing is saved before one decides. */
export function ConflictDialog({
  open,
  conflict,
  onClose,
}: {
  open: OpenArticle;
  conflict: Conflict;
  onClose: () => void;
}) {
  const app = useApp();
  const { texts } = app;
  const { say } = texts;
  const { theirs, who = say('somebody'), at } = conflict;
  const mine = open.fields.value;
  const { disputed, text = [] } = useMemo(() => conflict.merge(mine), [conflict, mine]);
  const words = (fields: Fields, field: FieldName) => fieldWords(app, fields, field);
  return (
    <Modal isUnasked title={say('conflictTitle', { who })} onClose={onClose} look="broad">
      <p class="hint">{say('conflictHint', { date: Number.isNaN(at) ? '' : texts.date(at) })}</p>
      <div class="conflict">
        {disputed.map((field) => (
          <section key={field} aria-label={say(labelOf(field))}>
            <h3>{say(labelOf(field))}</h3>
            {field === 'content' ? (
              text.map((part, index) =>
                typeof part === 'string' ? null : (
                  <Sides key={`${index}`} mine={textOf(part.mine)} theirs={textOf(part.theirs)} />
                ),
              )
            ) : (
              <Sides mine={words(mine, field)} theirs={words(theirs, field)} />
            )}
            {field === 'content' && (
              <div class="conflict-both">
                <Button onClick={() => void open.resolve('both')}>{say('keepBoth')}</Button>
                <span class="hint">{say('keepBothHint')}</span>
              </div>
            )}
          </section>
        ))}
      </div>
      <div class="modal-buttons">
        <Button kind="quiet" onClick={onClose}>
          {say('goOnWriting')}
        </Button>
        <Button onClick={() => void open.resolve('theirs')}>{say('takeTheirs')}</Button>
        <Button kind="primary" onClick={() => void open.resolve('mine')}>
          {say('keepYours')}
        </Button>
      </div>
    </Modal>
  );
}

function Sides({ mine, theirs }: { mine: string; theirs: string }) {
  const { say } = useApp().texts;
  return (
    <div class="conflict-sides">
      <div>
        <h4>{say('yours')}</h4>
        <Differences before={theirs} after={mine} />
      </div>
      <div>
        <h4>{say('theirs')}</h4>
        <p class="differences" dir="auto">
          {theirs}
        </p>
      </div>
    </div>
  );
}
