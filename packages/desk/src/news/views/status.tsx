import { useEffect } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { useNews } from '../news-context.ts';
import { troubleWords } from './trouble.tsx';

/** The last edit, with its undo. */
export function Status({ words }: { words: string }) {
  const { announce, edits, texts } = useNews();
  const { say } = texts;
  const last = edits.last.value;
  const said =
    last?.problem === undefined
      ? last?.words
      : say('notDone', { what: last.words, reason: troubleWords(last.problem, say) });
  useEffect(() => {
    if (said !== undefined) announce(said);
  }, [said]);
  return (
    <footer class="status">
      <span class="status-count">{words}</span>
      <span class="space" />
      {said !== undefined && (
        <span class={last?.problem === undefined ? 'status-last' : 'status-last failed'}>{said}</span>
      )}
      {last?.canUndo && (
        <Button kind="quiet" icon="undo" onClick={() => void edits.undo()} aria-keyshortcuts="u">
          {say('undo')}
        </Button>
      )}
    </footer>
  );
}
