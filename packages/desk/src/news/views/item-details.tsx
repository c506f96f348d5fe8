import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import type { Item, Period } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { pathTo } from '../state/news-place.ts';
import { ExplanationView } from './explanation.tsx';
import { HistoryView } from './history.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';

/** The pause of the keys after which an item is requested, in ms. */
const REST_MS = 120;

interface ItemDetailsProps {
  id: string;
  onEdit: () => void;
  onDone: () => void;
}

/** All that is known of an item: what it says, why it scored as it did, and who changed what. */
export function ItemDetails({ id, onEdit, onDone }: ItemDetailsProps) {
  const { api, items, texts } = useNews();
  const { say } = texts;
  const asked = useAnswer(
    async (signal) => {
      const [item, explanation, history] = await Promise.all([
        api.item(id, signal),
        api.explanation(id, signal),
        api.history('items', id, signal),
      ]);
      return { item: item.value, explanation, history };
    },
    id,
    { turn: items.turn.value, waitMs: REST_MS },
  );
  const { value } = asked;
  return (
    <aside
      class="item-details"
      id="details"
      tabIndex={-1}
      aria-label={say('showDetails')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        document.querySelector<HTMLElement>('.item-line[data-active="true"]')?.focus();
        onDone();
      }}
    >
      {value === undefined ? (
        <Waiting asked={asked} />
      ) : (
        <>
          <ItemWords item={value.item} />
          <Credits item={value.item} />
          <ItemButtons item={value.item} onEdit={onEdit} />
          <ExplanationView item={value.item} explanation={value.explanation} />
          <Where item={value.item} />
          <HistoryView history={value.history} onUndo={(edit) => void items.undo(id, edit)} />
        </>
      )}
    </aside>
  );
}

function ItemWords({ item }: { item: Item }) {
  const { texts, vocabulary } = useNews();
  const { say } = texts;
  const {
    title,
    originalTitle,
    summary,
    sourceName,
    publishedAt,
    category,
    directions,
    originalUrl,
    reason,
  } = item;
  const facts = [
    ...(category === null ? [] : [texts.label(vocabulary.value?.categories, category)]),
    ...directions.map((name) => texts.label(vocabulary.value?.directions, name)),
  ];
  return (
    <>
      <h2 dir="auto" lang={item.language ?? undefined}>
        {texts.name(title)}
      </h2>
      {originalTitle !== null && <p class="hint">{texts.name(originalTitle)}</p>}
      <p class="hint">{[sourceName, texts.date(Date.parse(publishedAt)), ...facts].join(' · ')}</p>
      {summary !== null && summary !== '' && (
        <p class="summary" dir="auto" lang={item.language ?? undefined}>
          {summary}
        </p>
      )}
      {reason !== null && reason !== '' && (
        <p class="because">
          <Icon name="info" size={16} />
          <span>{reason}</span>
        </p>
      )}
      {/^https?:/.test(originalUrl) && (
        <a class="outside" href={originalUrl} target="_blank" rel="noreferrer">
          <Icon name="link" size={16} />
          {say('readArticle')}
        </a>
      )}
    </>
  );
}

/** Its correction, authors, tags and enclosures. */
function Credits({ item: { authors, tags, enclosures, correction } }: { item: Item }) {
  const { texts } = useNews();
  const { say } = texts;
  if (authors === null && tags === null && enclosures === null && correction === null) return null;
  return (
    <dl class="where">
      {correction !== null && <Term name={say('correction')} value={correction} />}
      {authors !== null && (
        <Term name={say('authors')} value={texts.list(authors.map((one) => texts.name(one)))} />
      )}
      {tags !== null && <Term name={say('tags')} value={texts.list(tags.map((one) => texts.name(one)))} />}
      {enclosures !== null && (
        <div>
          <dt>{say('enclosures')}</dt>
          {enclosures.map(({ url, type, duration, length }) => (
            <dd key={url}>
              <a href={url} target="_blank" rel="noreferrer">
                {[
                  type,
                  ...(duration === undefined ? [] : [texts.duration(duration)]),
                  ...(length === undefined ? [] : [texts.size(length)]),
                ].join(' · ')}
              </a>
            </dd>
          ))}
        </div>
      )}
    </dl>
  );
}

function Term({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

function ItemButtons({ item, onEdit }: { item: Item; onEdit: () => void }) {
  const { items, me, texts } = useNews();
  const { say } = texts;
  const { id, selected, withdrawnAt } = item;
  const isGone = withdrawnAt !== null;
  if (!me.may('edit')) return null;
  return (
    <div class="buttons">
      {!isGone && (
        <Button
          kind={selected ? 'plain' : 'primary'}
          aria-keyshortcuts={selected ? 'd' : 's'}
          onClick={() => void items.act(id, selected ? 'deselect' : 'select')}
        >
          {say(selected ? 'deselect' : 'selectItem')}
        </Button>
      )}
      {!isGone && (
        <Button icon="edit" aria-keyshortcuts="e" onClick={onEdit}>
          {say('edit')}
        </Button>
      )}
      <Button
        kind={isGone ? 'primary' : 'plain'}
        aria-keyshortcuts="w"
        onClick={() => void items.act(id, isGone ? 'restore' : 'withdraw')}
      >
        {say(isGone ? 'restoreItem' : 'withdraw')}
      </Button>
    </div>
  );
}

/** Its story, the sources that carry it, and the reports that quote it. */
function Where({ item: { story, sources, reports } }: { item: Item }) {
  const { texts } = useNews();
  const { say } = texts;
  if (story === null && sources.length === 0 && reports.length === 0) return null;
  return (
    <dl class="where">
      {story !== null && (
        <div>
          <dt>{say('story')}</dt>
          <dd>
            <Link to={pathTo('stories', { query: { a: story.publicId } })}>{texts.name(story.title)}</Link>
          </dd>
        </div>
      )}
      {sources.length > 0 && (
        <div>
          <dt>{say('carriedBy')}</dt>
          <dd>
            {sources.map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <Link to={pathTo('sources', { id: String(id) })}>{texts.name(name)}</Link>
              </span>
            ))}
          </dd>
        </div>
      )}
      {reports.length > 0 && (
        <div>
          <dt>{say('quotedIn')}</dt>
          <dd>
            {texts.list(
              reports.map(({ period, date }) => say('reportOf', { period: say(period as Period), date })),
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}
