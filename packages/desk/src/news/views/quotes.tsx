import { Button, IconButton } from '../../shared/views/button.tsx';
import type { Quote } from '../api/types.ts';
import { useNews } from '../news-context.ts';

interface QuotesProps {
  quotes: readonly Quote[];
  lead: string | undefined;
  onMove: (quote: Quote, order: readonly Quote[], by: -1 | 1) => void;
  onLead?: (quote: Quote) => void;
}

/** Items as a report quotes them, with what moves them. */
export function Quotes({ quotes, lead, onMove, onLead }: QuotesProps) {
  const { me, texts } = useNews();
  const { say } = texts;
  return (
    <ol class="quotes">
      {quotes.map((quote, index) => {
        const { itemId, title, summary, source, publishedAt } = quote;
        return (
          <li
            key={itemId}
            class="quote"
            tabIndex={-1}
            data-id={itemId}
            onKeyDown={(event) => {
              if (!event.altKey || !/^Arrow(Up|Down)$/.test(event.key)) return;
              event.preventDefault();
              onMove(quote, quotes, event.key === 'ArrowUp' ? -1 : 1);
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
            {me.may('edit') && (
              <div class="quote-buttons">
                <IconButton
                  icon="up"
                  label={say('moveUp', { title })}
                  disabled={index === 0}
                  onClick={() => onMove(quote, quotes, -1)}
                />
                <IconButton
                  icon="down"
                  label={say('moveDown', { title })}
                  disabled={index === quotes.length - 1}
                  onClick={() => onMove(quote, quotes, 1)}
                />
                {onLead !== undefined && itemId !== lead && (
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
