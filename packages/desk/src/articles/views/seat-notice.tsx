import { useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { mayChange } from '../state/rights.ts';
import { listed } from './seats.ts';
import type { ArticleSeat } from './use-seat.ts';

/** The others who have the article open, and the way to take over from them. */
export function SeatNotice({ open, seat }: { open: OpenArticle; seat: ArticleSeat }) {
  const { me, presence, texts } = useApp();
  const { say } = texts;
  const [waitsFor, setWaitsFor] = useState<string>();
  const { own, others, writer, isWriting } = seat;
  const { id } = open;
  const canWrite = mayChange(me, open.article.value);
  if (id === undefined || own === undefined) return null;
  const takeOver = (label: 'takeOver' | 'takeBack') => (
    <Button onClick={() => void presence.enter(id, 'writing', true)}>{say(label)}</Button>
  );
  if (isWriting || !canWrite) {
    if (others.length === 0) return null;
    const names = listed(others, texts);
    return <p class="notice seat-notice">{say('alsoOpen', { names })}</p>;
  }
  if (own.mode === 'looking') {
    return (
      <div class="notice seat-notice" role="status">
        {own.takenBy === null ? (
          <p>{say('lookingOnly')}</p>
        ) : (
          <p>{texts.sentences(say('takenOver', { who: texts.name(own.takenBy) }), say('takenOverHint'))}</p>
        )}
        {own.takenBy === null ? (
          <Button onClick={() => void presence.enter(id, 'writing')}>{say('write')}</Button>
        ) : (
          takeOver('takeBack')
        )}
      </div>
    );
  }
  if (writer === undefined) return null;
  const who = texts.name(writer.name);
  const isWaiting = waitsFor === writer.name;
  return (
    <div class="notice seat-notice" role="status">
      <p>
        {isWaiting
          ? say('waitingFor', { who })
          : texts.sentences(
              writer.isYou ? say('writtenByYou') : say('writtenBy', { who }),
              say('writtenHint'),
            )}
      </p>
      {!isWaiting && <Button onClick={() => setWaitsFor(writer.name)}>{say('wait')}</Button>}
      <Button onClick={() => void presence.enter(id, 'looking')}>{say('onlyLook')}</Button>
      {takeOver('takeOver')}
    </div>
  );
}
