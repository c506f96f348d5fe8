import { useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { Source } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { pathTo } from '../state/news-place.ts';
import { SourceAccess } from './source-access.tsx';
import { SourceForm } from './source-form.tsx';
import { DaysChart, SourceState, troubleOf, useReading } from './source-health.tsx';
import { Status } from './status.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';

/** A source: how it is, what is set, and what its rules have dropped. */
export function SourcePage({ id }: { id: number }) {
  const { api, me, texts } = useNews();
  const { say } = texts;
  const [turn, setTurn] = useState(0);
  const asked = useAnswer(
    async (signal) => {
      const [source, dropped] = await Promise.all([api.source(id, signal), api.dropped(id, signal)]);
      return { source, dropped };
    },
    String(id),
    { turn },
  );
  if (asked.value === undefined) return <Waiting asked={asked} />;
  const { source, dropped } = asked.value;
  const again = () => setTurn((one) => one + 1);
  return (
    <>
      <div class="reading">
        <SourceHead source={source.value} onChanged={again} />
        <Health source={source.value} onChanged={again} />
        {/* Another form once it has been saved: it begins with what is kept. */}
        <fieldset class="as-one" disabled={!me.may('edit')}>
          <SourceForm key={source.etag} before={source} onSaved={again} />
          <SourceAccess key={`access ${source.etag}`} before={source} onSaved={again} />
        </fieldset>
        <Lines
          title={say('dropped')}
          lines={dropped.map(({ title, rule, discoveredAt }) => [title ?? '', rule, texts.ago(discoveredAt)])}
        />
        <Lines
          title={say('leftOut')}
          count={source.value.unusableEntries + source.value.unreadEntries + source.value.repeatedEntries}
          lines={source.value.leftOut.map(({ title, code }) => [
            title,
            code === null ? '' : say(`leftOut_${code}`),
          ])}
        />
        <Lines title={say('refused')} lines={source.value.refusedEntries.map(({ title }) => [title ?? ''])} />
      </div>
      <Status words={say('sourceCount', { count: 1 })} />
    </>
  );
}

function SourceHead({ source, onChanged }: { source: Source; onChanged: () => void }) {
  const { address, api, edits, me, texts } = useNews();
  const { say } = texts;
  const { id, name, state } = source;
  const [isAsking, setAsking] = useState(false);
  const read = useReading(source, onChanged);
  const readNow = () => {
    const words = say('didReadNow', { name });
    return edits.attempt(words, async () => {
      await api.readSource(id, 'resume');
      edits.say(words);
      onChanged();
    });
  };
  const remove = () => {
    setAsking(false);
    const words = say('didRemove', { name });
    return edits.attempt(words, async () => {
      await api.removeSource(id);
      const restore = async () => {
        await api.restoreSource(id);
        address.go(pathTo('sources', { id: String(id) }));
      };
      edits.did(words, restore, () => undefined);
      address.go(pathTo('sources'));
    });
  };
  return (
    <>
      <Link class="button quiet back" to={pathTo('sources')}>
        <Icon name="previous" />
        <span>{say('sources')}</span>
      </Link>
      <div class="reading-head">
        <h2>{texts.name(name)}</h2>
        <SourceState source={source} />
        <span class="space" />
        {me.may('edit') && (
          <>
            {state === 'active' && <Button onClick={() => void readNow()}>{say('readNow')}</Button>}
            <Button icon={state === 'active' ? 'pause' : 'resume'} onClick={read}>
              {say(state === 'active' ? 'pause' : 'resume')}
            </Button>
            <Button icon="delete" onClick={() => setAsking(true)}>
              {say('remove')}
            </Button>
          </>
        )}
      </div>
      {isAsking && (
        <Modal title={say('removeTitle', { name })} onClose={() => setAsking(false)}>
          <p class="hint">{say('removeHint')}</p>
          <div class="modal-buttons">
            <Button onClick={() => setAsking(false)} autofocus>
              {say('cancel')}
            </Button>
            <Button kind="danger" onClick={() => void remove()}>
              {say('remove')}
            </Button>
          </div>
        </Modal>
      )}
    </>
  );
}

/** The health of a source: a chart of its days, its reads, and its errors. */
function Health({ source, onChanged }: { source: Source; onChanged: () => void }) {
  const { api, edits, me, texts } = useNews();
  const { say } = texts;
  const { days, day, lastPolledAt, lastSuccessAt, nextPollAt, failingSince, pending, state } = source;
  const { stoppedRules, offeredUrl } = source;
  const take = (url: string) => {
    const words = say('didTakeFeed', { url });
    return edits.attempt(words, async () => {
      const { id, url: before } = source;
      const { etag } = await api.changeSource(id, { url }, null);
      edits.did(words, () => api.changeSource(id, { url: before }, etag), onChanged);
      onChanged();
    });
  };
  const facts: [string, string][] = [
    [say('last24'), say('inADay', { count: day })],
    ...(lastPolledAt === null ? [] : [[say('lastRead'), texts.ago(lastPolledAt)] as [string, string]]),
    ...(lastSuccessAt === null ? [] : [[say('lastSuccess'), texts.ago(lastSuccessAt)] as [string, string]]),
    ...(state === 'active' && nextPollAt !== null
      ? [[say('nextRead'), texts.ago(nextPollAt)] as [string, string]]
      : []),
    ...(pending === 0 ? [] : [[say('pending'), say('entries', { count: pending })] as [string, string]]),
  ];
  return (
    <>
      {state === 'active' && failingSince !== null && (
        <p class="notice" role="status">
          {troubleOf(source, texts)}
          {offeredUrl !== null && me.may('edit') && (
            <Button onClick={() => void take(offeredUrl)}>{say('takeFeed', { url: offeredUrl })}</Button>
          )}
        </p>
      )}
      {stoppedRules.map(({ code, rule }) => (
        <p class="notice" role="status" key={rule}>
          {say('stoppedRule', { rule, reason: say(`problem_${code}`) })}
        </p>
      ))}
      <div class="health">
        <DaysChart days={days} />
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}

interface LinesProps {
  title: string;
  lines: readonly (readonly string[])[];
  /** The whole number of them, if not all are listed. */
  count?: number;
}

function Lines({ title, lines, count = lines.length }: LinesProps) {
  const { texts } = useNews();
  if (lines.length === 0) return null;
  return (
    <details class="more-lines">
      <summary>
        {title} ({count})
      </summary>
      <ul class="tried">
        {lines.map(([name = '', ...rest], index) => (
          <li key={index}>
            <span class="found-title" dir="auto">
              {texts.name(name)}
            </span>
            {rest.length > 0 && <code>{rest.join(' · ')}</code>}
          </li>
        ))}
      </ul>
    </details>
  );
}
