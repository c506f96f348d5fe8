import { useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { useApp } from '../app-context.ts';
import type { Changes } from '../state/fields.ts';
import { localTime, zonedTime } from '../state/local-time.ts';
import type { OpenArticle } from '../state/open-article.ts';

/** Asks when an article is published and taken back. */
export function ScheduleDialog({ open, onClose }: { open: OpenArticle; onClose: () => void }) {
  const { say } = useApp().texts;
  const { is_published: isPublished = false, schedule } = open.article.value ?? {};
  const [publishAt, setPublishAt] = useState(localTime(schedule?.publish_at));
  const [unpublishAt, setUnpublishAt] = useState(localTime(schedule?.unpublish_at));
  const [problem, setProblem] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const changes: Changes = {
      ...(!isPublished && { publish_at: zonedTime(publishAt) }),
      unpublish_at: zonedTime(unpublishAt),
    };
    if (await open.change(changes)) return onClose();
    const { fields = [], message = '' } = open.problem.peek() ?? {};
    setProblem(fields.map((field) => field.message).join(' ') || message);
  };
  return (
    <FormModal say={say} title={say('scheduleTitle')} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {!isPublished && <Time label={say('publishAt')} value={publishAt} onChange={setPublishAt} />}
        <Time label={say('unpublishAt')} value={unpublishAt} onChange={setUnpublishAt} />
        <p class="hint">{say('zoneIs', { zone: zoneName() })}</p>
        <p class="form-problem" role="alert">
          {problem}
        </p>
        <div class="modal-buttons">
          <Button onClick={onClose}>{say('cancel')}</Button>
          <button type="submit" class="button primary">
            <span>{say('save')}</span>
          </button>
        </div>
      </form>
    </FormModal>
  );
}

function Time({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="datetime-local"
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

/** The zone of the browser, such as `Asia/Shanghai (GMT+8)`. */
function zoneName(): string {
  const format = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' });
  const offset = format.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${format.resolvedOptions().timeZone} (${offset})`;
}
