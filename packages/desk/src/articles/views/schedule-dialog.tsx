import { useState } from 'preact/hooks';
import type { ApiProblem } from '../../shared/api/problem.ts';
import { localTime, zonedTime } from '../../shared/state/local-time.ts';
import { Button } from '../../shared/views/button.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { TimeField } from '../../shared/views/time-field.tsx';
import { ZoneHint } from '../../shared/views/zone-hint.tsx';
import { useApp } from '../app-context.ts';
import type { Changes } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';

/** Asks when an article is published and taken back. */
export function ScheduleDialog({ open, onClose }: { open: OpenArticle; onClose: () => void }) {
  const { say, zone } = useApp().texts;
  const { is_published: isPublished = false, schedule } = open.article.value ?? {};
  const [publishAt, setPublishAt] = useState(localTime(schedule?.publish_at, zone.value));
  const [unpublishAt, setUnpublishAt] = useState(localTime(schedule?.unpublish_at, zone.value));
  const [problem, setProblem] = useState<ApiProblem>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const changes: Changes = {
      ...(!isPublished && { publish_at: zonedTime(publishAt, zone.value) }),
      unpublish_at: zonedTime(unpublishAt, zone.value),
    };
    const refused = await open.plan(changes);
    if (refused === undefined) return onClose();
    setProblem(refused);
  };
  const about = (member: string) => problem?.fields.find(({ field }) => field === member);
  const isNamed = about('publish_at') !== undefined || about('unpublish_at') !== undefined;
  return (
    <FormModal say={say} title={say('scheduleTitle')} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {!isPublished && (
          <TimeField
            label={say('publishAt')}
            value={publishAt}
            fault={about('publish_at')}
            onChange={setPublishAt}
          />
        )}
        <TimeField
          label={say('unpublishAt')}
          value={unpublishAt}
          fault={about('unpublish_at')}
          onChange={setUnpublishAt}
        />
        <ZoneHint />
        <p class="form-problem" role="alert">
          {problem !== undefined && !isNamed && problemWords(problem, say)}
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
