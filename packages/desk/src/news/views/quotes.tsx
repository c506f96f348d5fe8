import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import type { Quote } from '../api/types.ts';
import { useNews } from '../news-context.ts';

/** Moves an item to a place among those that are listed with it. */
export type MoveQuote = (quote: Quote, order: readonly Quote[], to: number) => void;

interface QuotesProps {
  quotes: readonly Quote[];
  canMove: boolean;
  onMove: MoveQuote;
  /** Says which item is dragged, for other places that take it. */
  onDrag?: (quote: Quote | undefined) => void;
  onLead?: (quote: Quote) => void;
}

/** Items as a report quotes them, with what moves them: the pointer, keys or buttons. */
export function Quotes({ quotes, canMove, onMove, onDrag, onLead }: QuotesProps) {
  const { texts } = useNews();
  const { say } = texts;
  const [dragged, setDragged] = useState<Quote>();
  const [over, setOver] = useState<Quote>();
  const drag = (quote: Quote | undefined) => {
    setDragged(quote);
    setOver(undefined);
    onDrag?.(quote);
  };
  const from = dragged === undefined ? -1 : quotes.indexOf(dragged);
  return (
    <ol class="quotes">
      {quotes.map((quote, index) => {
        const { itemId, title, summary, source, publishedAt } = quote;
        const side = over === quote && from !== index ? (from < index ? 'drop-after' : 'drop-before') : '';
        return (
          <li
            key={itemId}
            class={`quote ${side}`}
            tabIndex={-1}
            data-id={itemId}
            draggable={canMove}
            onDragStart={({ dataTransfer }) => {
              dataTransfer?.setData('text/plain', title);
              drag(quote);
            }}
            onDragEnd={() => drag(undefined)}
            onDragOver={(event) => {
              if (dragged === undefined) return;
              event.preventDefault();
              setOver(quote);
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== undefined) onMove(dragged, quotes, index);
              drag(undefined);
            }}
            onKeyDown={(event) => {
              if (!event.altKey || !/^Arrow(Up|Down)$/.test(event.key)) return;
              event.preventDefault();
              onMove(quote, quotes, event.key === 'ArrowUp' ? index - 1 : index + 1);
            }}
          >
            <div class="quote-words">
              <p class="quote-title" dir="auto">
                {texts.name(title)}
              </p>
              {summary !== null && <p dir="auto">{summary}</p>}
              <p class="hint">
                {source} · {texts.ago(publishedAt)}
              </p>
            </div>
            {canMove && (
              <div class="quote-buttons">
                <IconButton
                  icon="up"
                  label={say('moveUp', { title })}
                  disabled={index === 0}
                  onClick={() => onMove(quote, quotes, index - 1)}
                />
                <IconButton
                  icon="down"
                  label={say('moveDown', { title })}
                  disabled={index === quotes.length - 1}
                  onClick={() => onMove(quote, quotes, index + 1)}
                />
                {onLead !== undefined && (
                  <Button kind="quiet" aria-label={say('leadOne', { title })} onClick={() => onLead(quote)}>
                    {say('makeLead')}
                  </Button>
                )}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
