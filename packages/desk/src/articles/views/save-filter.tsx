import { useState } from 'preact/hooks';
import { CheckField } from '../../shared/views/check-field.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { useApp } from '../app-context.ts';

/** Asks under which name the filters that are set are saved, and whether everybody gets them. */
export function SaveFilterDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const { filters, me, texts } = useApp();
  const { say } = texts;
  const [id] = useState(() => crypto.randomUUID());
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  return (
    <SubmitDialog
      say={say}
      title={say('saveFilterTitle')}
      button={say('save')}
      onSubmit={async () => {
        await filters.save({ id, name: name.trim(), query, shared });
        onClose();
        return undefined;
      }}
      reasonOf={(problem) => problemWords(problem, say)}
      onClose={onClose}
    >
      <label class="field">
        <span>{say('filterName')}</span>
        <input
          value={name}
          required
          autofocus
          maxLength={60}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      {me.may('edit') && <CheckField label={say('forEverybody')} checked={shared} onChecked={setShared} />}
    </SubmitDialog>
  );
}
