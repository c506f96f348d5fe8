import { useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import type { HotInputs, Ranking } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { changeQuery, pathTo, placeOf } from '../state/news-place.ts';
import { Select, termChoices } from './fields.tsx';
import { Status } from './status.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';

/** The hot list, with what moves each of its entries. */
export function Hot() {
  const { address, api, edits, me, texts, vocabulary } = useNews();
  const { say } = texts;
  const direction = placeOf(address.here.value).query.get('direction') ?? '';
  const [turn, setTurn] = useState(0);
  const asked = useAnswer((signal) => api.ranking(direction || undefined, signal), direction, { turn });
  const rank = () =>
    edits.attempt(say('rankNow'), async () => {
      const { topics } = await api.rank();
      edits.say(say('didRank', { count: topics }));
      setTurn((one) => one + 1);
    });
  /** Puts a story in its place, in a ranking that is public at once; so does what takes it back. */
  const put: Place = (story, title, place) => {
    const words = say(place === null ? 'didLeavePlace' : place === 'pinned' ? 'didPin' : 'didHide', {
      title,
    });
    const again = async () => {
      await api.rank();
      setTurn((one) => one + 1);
    };
    return edits.attempt(words, async () => {
      const { edit } = await api.placeStory(story, place);
      edits.made(words, [edit], () => void edits.attempt(words, again));
      await again();
    });
  };
  const { value } = asked;
  return (
    <>
      <div class="toolbar filters">
        <Select
          label={say('directions')}
          value={direction}
          onValue={(one) => changeQuery(address, { direction: one })}
          choices={[['', say('anyDirection')], ...termChoices(vocabulary.value?.directions)]}
        />
        <span class="space" />
        {me.may('edit') && (
          <Button icon="retry" onClick={() => void rank()}>
            {say('rankNow')}
          </Button>
        )}
      </div>
      {value && value.entries.length + value.hidden.length > 0 ? (
        <RankingView ranking={value} onPlace={(story, title, place) => void put(story, title, place)} />
      ) : value !== undefined ? (
        <div class="empty">
          <Icon name="news" size={32} />
          <p class="empty-title">{say(direction === '' ? 'noRanking' : 'noItems')}</p>
          {direction === '' && <p class="hint">{say('noRankingHint')}</p>}
        </div>
      ) : (
        <Waiting asked={asked} />
      )}
      <Status words={value ? say('rankedAt', { time: texts.ago(value.publishedAt) }) : ''} />
    </>
  );
}

/** Pins a story, hides it, or leaves it to its heat. */
type Place = (story: string, title: string, place: 'pinned' | 'hidden' | null) => unknown;

interface RankingProps {
  ranking: Ranking;
  onPlace: Place;
}

function RankingView({ ranking: { entries, hidden, windowHours }, onPlace }: RankingProps) {
  const { me, texts } = useNews();
  const { say } = texts;
  const most = Math.max(1, ...entries.map(({ inputs }) => inputs.heat));
  return (
    <div class="reading">
      <p class="hint">{say('hotHint', { hours: windowHours })}</p>
      <ol class="hot">
        {entries.map(({ rank, id, title, withdrawnAt, inputs }) => (
          <li key={id} class={withdrawnAt === null ? 'hot-entry' : 'hot-entry withdrawn'}>
            <span class="hot-rank">{rank}</span>
            <div class="hot-words">
              <p class="hot-title" dir="auto">
                {inputs.story === null ? (
                  texts.name(title)
                ) : (
                  <Link to={pathTo('stories', { query: { a: inputs.story } })}>{texts.name(title)}</Link>
                )}{' '}
                {inputs.pinned && <span class="badge on">{say('isPinned')}</span>}
              </p>
              <HeatBar inputs={inputs} most={most} />
              <details>
                <summary>
                  {say('heat', { heat: inputs.heat.toFixed(2) })} ·{' '}
                  {say('sourceCount', { count: inputs.sources.length })} ·{' '}
                  {say('reports', { count: inputs.reports })}
                </summary>
                <Inputs inputs={inputs} />
              </details>
            </div>
            {inputs.story !== null && me.may('edit') && (
              <div class="hot-buttons">
                <Button
                  kind="quiet"
                  aria-label={say(inputs.pinned ? 'unpin' : 'pin', { title })}
                  onClick={() => onPlace(inputs.story ?? '', title, inputs.pinned ? null : 'pinned')}
                >
                  {say(inputs.pinned ? 'unpinIt' : 'pinIt')}
                </Button>
                <Button
                  kind="quiet"
                  aria-label={say('hide', { title })}
                  onClick={() => onPlace(inputs.story ?? '', title, 'hidden')}
                >
                  {say('hideIt')}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {hidden.length > 0 && (
        <details class="more-lines">
          <summary>{say('hiddenStories', { count: hidden.length })}</summary>
          <ul class="merged">
            {hidden.map(({ publicId, title }) => (
              <li key={publicId}>
                <span>{texts.name(title)}</span>
                {me.may('edit') && (
                  <Button
                    aria-label={say('unhide', { title })}
                    onClick={() => onPlace(publicId, title, null)}
                  >
                    {say('unhideIt')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The addends of a heat: one for each source, and what the number of reports adds. */
function HeatBar({ inputs: { sources, signals }, most }: { inputs: HotInputs; most: number }) {
  let at = 0;
  const parts = [...sources.map(({ weight }) => weight), signals].map((weight) => {
    const part = { x: (100 * at) / most, width: (100 * weight) / most };
    at += weight;
    return part;
  });
  return (
    <svg class="heat-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ x, width }, index) => (
        <rect
          key={index}
          class={index === sources.length ? 'signals' : index % 2 === 0 ? 'even' : 'odd'}
          x={x}
          width={width}
          height="6"
        />
      ))}
    </svg>
  );
}

function Inputs({ inputs: { sources, signals, reports } }: { inputs: HotInputs }) {
  const { texts } = useNews();
  const { say } = texts;
  return (
    <table class="terms">
      <tbody>
        {sources.map(({ source, firstParty, ageHours, weight }) => (
          <tr key={source}>
            <th scope="row">{texts.name(source)}</th>
            <td class="terms-points">+{weight.toFixed(2)}</td>
            <td class="terms-note">
              {say('hoursOld', { hours: Number(ageHours.toFixed(1)) })}
              {firstParty && ` · ${say('term_firstParty')}`}
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">{say('reports', { count: reports })}</th>
          <td class="terms-points">+{signals.toFixed(2)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}
