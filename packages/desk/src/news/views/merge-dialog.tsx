import { useState } from 'preact/hooks';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import type { Story } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { SEARCHABLE, TYPING_MS } from '../state/news-place.ts';
import { troubleWords, Waiting } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';

interface MergeDialogProps {
  story: Story;
  /** The story beside it, chosen at first. */
  other: string | undefined;
  onMerge: (into: string) => Promise<void>;
  onClose: () => void;
}

/** Asks into which story another one is merged. */
export function MergeDialog({ story: { publicId, title }, other, onMerge, onClose }: MergeDialogProps) {
  const { api, texts } = useNews();
  const { say } = texts;
  const [text, setText] = useState('');
  const [into, setInto] = useState(other);
  const q = SEARCHABLE.test(text) ? text.trim() : undefined;
  const asked = useAnswer((signal) => api.stories(undefined, signal, q), q ?? '', {
    waitMs: q === undefined ? 0 : TYPING_MS,
  });
  const found = asked.value?.entries
    .filter((one) => one.publicId !== publicId)
    .toSorted((one, two) => Number(two.publicId === other) - Number(one.publicId === other));
  return (
    <SubmitDialog
      say={say}
      title={say('mergeTitle', { title })}
      button={say('mergeButton')}
      onSubmit={async () => {
        if (into === undefined) return say('chooseStory');
        await onMerge(into);
        onClose();
        return undefined;
      }}
      reasonOf={(problem) => troubleWords(problem, say)}
      onClose={onClose}
    >
      <input
        type="search"
        aria-label={say('searchStories')}
        placeholder={say('searchStories')}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {found === undefined ? (
        <Waiting asked={asked} />
      ) : found.length === 0 ? (
        <p class="hint">{say('noStoryFound')}</p>
      ) : (
        <ul class="names story-choices" aria-label={say('stories')}>
          {found.map((one) => (
            <li key={one.publicId}>
              <label class="choice">
                <input
                  type="radio"
                  name="into"
                  checked={one.publicId === into}
                  onChange={() => setInto(one.publicId)}
                />
                <span>
                  <span dir="auto">{texts.name(one.title)}</span>{' '}
                  <span class="hint">
                    {say('reports', { count: one.reportCount })} · {texts.ago(one.latest.publishedAt)}
                  </span>
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </SubmitDialog>
  );
}
