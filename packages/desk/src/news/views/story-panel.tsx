import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import type { Done, Story, Tagged } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { HistoryView } from './history.tsx';
import { TextForm } from './text-form.tsx';
import { Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';

const MergeDialog = lazy(() =>
  import('./merge-dialog.tsx').then(({ MergeDialog: View }) => ({ default: View })),
);

interface StoryPanelProps {
  id: string;
  /** The story beside it. */
  other: string | undefined;
  turn: number;
  onChanged: () => void;
  onClose: () => void;
  /** Shows the story that two have become. */
  onMerged: (into: string) => void;
}

/** A story with its reports: split, merge, write its digest. */
export function StoryPanel({ id, other, turn, onChanged, onClose, onMerged }: StoryPanelProps) {
  const { api, edits, me, texts } = useNews();
  const { say } = texts;
  const asked = useAnswer(
    async (signal) => {
      const [story, history] = await Promise.all([api.story(id, signal), api.history('stories', id, signal)]);
      return { story, history };
    },
    id,
    { turn },
  );
  const { value } = asked;
  const [isMerging, setMerging] = useState(false);
  const attempt = async (words: string, work: () => Promise<number | null>) => {
    await edits.attempt(words, async () => edits.made(words, [await work()], onChanged));
    onChanged();
  };
  if (value === undefined) {
    return (
      <section class="story">
        <Waiting asked={asked} />
      </section>
    );
  }
  const { story, history } = value;
  const { title, mergedInto, merged } = story.value;
  const merge = async (into: string) => {
    const { edit, publicId } = await api.mergeStory(id, into);
    edits.made(say('didMerge', { title }), [edit], onChanged);
    onMerged(publicId);
    onChanged();
  };
  return (
    <section class="story" aria-label={title}>
      <div class="story-head">
        <h2 dir="auto">{texts.name(title)}</h2>
        <IconButton icon="close" label={say('closeOne', { title })} onClick={onClose} />
      </div>
      <Told story={story.value} />
      {mergedInto !== null && (
        <p class="notice">
          <span>{say('isMerged')}</span>
          {me.may('edit') && (
            <Button
              onClick={() =>
                void attempt(say('didUnmerge', { title }), async () => (await api.unmergeStory(id)).edit)
              }
            >
              {say('unmerge')}
            </Button>
          )}
        </p>
      )}
      {mergedInto === null && me.may('edit') && (
        <Button icon="merge" onClick={() => setMerging(true)}>
          {say('mergeIntoOther')}
        </Button>
      )}
      {isMerging && (
        <Suspense fallback={null}>
          <MergeDialog story={story.value} other={other} onMerge={merge} onClose={() => setMerging(false)} />
        </Suspense>
      )}
      <fieldset class="as-one" disabled={!me.may('edit')}>
        <Texts story={story} onSaved={onChanged} />
        <Reports story={story.value} attempt={attempt} />
      </fieldset>
      {merged.length > 0 && (
        <section>
          <h3>{say('mergedStories')}</h3>
          <ul class="merged">
            {merged.map((one) => (
              <li key={one.publicId}>
                <span>{texts.name(one.title)}</span>
                {me.may('edit') && (
                  <Button
                    aria-label={say('unmergeOne', { title: one.title })}
                    onClick={() =>
                      void attempt(
                        say('didUnmerge', { title: one.title }),
                        async () => (await api.unmergeStory(one.publicId)).edit,
                      )
                    }
                  >
                    {say('unmerge')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <HistoryView
        history={history}
        onUndo={(edit) =>
          void attempt(say('didUndo', { what: title }), async () => (await api.undo(edit)).edit)
        }
      />
    </section>
  );
}

/** The newest report of a story in its own words, and those that its reports share. */
function Told({ story: { lead, reports, title, words } }: { story: Story }) {
  const { texts } = useNews();
  const latest = reports.find(({ withdrawnAt }) => withdrawnAt === null);
  return (
    <>
      {latest && (
        <p>
          {latest.title !== title && <strong dir="auto">{texts.name(latest.title)} </strong>}
          {lead !== null && <span dir="auto">{texts.name(lead)} </span>}
          <span class="hint">
            {latest.sourceName} · {texts.ago(latest.publishedAt)}
          </span>
        </p>
      )}
      {words.length > 0 && (
        <p class="story-words">
          {texts.say('sharedWords')}{' '}
          {words.map((word) => (
            <bdi key={word} class="badge">
              {word}
            </bdi>
          ))}
        </p>
      )}
    </>
  );
}

interface ReportsProps {
  story: Story;
  attempt: (words: string, work: () => Promise<number | null>) => Promise<void>;
}

/** The reports of a story; those that are chosen can become a story of their own. */
function Reports({ story: { publicId, title, reports }, attempt }: ReportsProps) {
  const { api, texts } = useNews();
  const { say } = texts;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const split = () =>
    attempt(say('didSplit', { title }), async () => {
      const { edit } = await api.splitStory(publicId, chosen);
      setChosen([]);
      return edit;
    });
  return (
    <section>
      <h3>{say('reports', { count: reports.length })}</h3>
      <ul class="story-reports">
        {reports.map((report) => (
          <li key={report.id}>
            <label class="choice">
              <input
                type="checkbox"
                checked={chosen.includes(report.id)}
                onChange={({ currentTarget }) =>
                  setChosen((before) =>
                    currentTarget.checked ? [...before, report.id] : before.filter((id) => id !== report.id),
                  )
                }
              />
              <span>
                <span dir="auto">{texts.name(report.title)}</span>{' '}
                <span class="hint">
                  {report.sourceName} · {texts.ago(report.publishedAt)}
                  {report.selected && ` · ${say('isSelected')}`}
                  {report.withdrawnAt !== null && ` · ${say('isWithdrawn')}`}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {chosen.length > 0 && (
        <Button icon="split" disabled={chosen.length === reports.length} onClick={() => void split()}>
          {say('splitChosen', { count: chosen.length })}
        </Button>
      )}
    </section>
  );
}

/** The text that readers get of a story: its digest, which stays if a person wrote it, and corrections. */
function Texts({ story, onSaved }: { story: Tagged<Story>; onSaved: () => void }) {
  const { api, edits, texts } = useNews();
  const { say } = texts;
  const { publicId, title, digest, digestBy, digestRefusal, correction } = story.value;
  const saved = (words: string, { edit }: Done) => {
    edits.made(words, [edit], onSaved);
    onSaved();
  };
  return (
    <>
      <TextForm
        key={`digest ${publicId} ${digest}`}
        label={say('digest')}
        rows={4}
        hint={
          digestBy === null ? undefined : say(digestBy === 'person' ? 'digestByPerson' : 'digestByNewsroom')
        }
        before={{ value: digest, etag: story.etag }}
        read={async () => {
          const { value, etag } = await api.story(publicId);
          return { value: value.digest, etag };
        }}
        write={async (text, etag) =>
          saved(say('didDigest', { title }), await api.writeDigest(publicId, text, etag))
        }
        onReread={onSaved}
      >
        {digestRefusal !== null && (
          <p class="hint">{say(`refused_${digestRefusal.why}`, { detail: digestRefusal.detail ?? '' })}</p>
        )}
      </TextForm>
      <TextForm
        key={`correction ${publicId} ${correction}`}
        label={say('correction')}
        rows={2}
        hint={say('correctionHint')}
        before={{ value: correction, etag: story.etag }}
        read={async () => {
          const { value, etag } = await api.story(publicId);
          return { value: value.correction, etag };
        }}
        write={async (text, etag) =>
          saved(say('didNote', { what: title }), await api.correctStory(publicId, text, etag))
        }
        onReread={onSaved}
      />
    </>
  );
}
