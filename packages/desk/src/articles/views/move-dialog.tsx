import { useState } from 'preact/hooks';
import type { ApiProblem } from '../../shared/api/problem.ts';
import { localTime } from '../../shared/state/local-time.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { TimeField } from '../../shared/views/time-field.tsx';
import { ZoneHint } from '../../shared/views/zone-hint.tsx';
import type { Entry } from '../api/plans.ts';
import { useApp } from '../app-context.ts';

interface MoveDialogProps {
  entry: Entry;
  /** Returns why the plan was not moved. */
  onMove: (to: string) => Promise<ApiProblem | undefined>;
  onClose: () => void;
}

/** Asks for the time to which a plan is moved. */
export function MoveDialog({ entry, onMove, onClose }: MoveDialogProps) {
  const { say, zone } = useApp().texts;
  const [time, setTime] = useState(() => localTime(new Date(entry.at).toISOString(), zone.peek()));
  return (
    <SubmitDialog
      say={say}
      title={say('moveTo', { title: entry.title || say('untitled') })}
      button={say('move')}
      onSubmit={async () => {
        const failed = await onMove(time);
        if (failed !== undefined) return problemWords(failed, say);
        onClose();
        return undefined;
      }}
      reasonOf={(problem) => problemWords(problem, say)}
      onClose={onClose}
    >
      <TimeField label={say('theTime')} value={time} required autofocus onChange={setTime} />
      <ZoneHint />
    </SubmitDialog>
  );
}
