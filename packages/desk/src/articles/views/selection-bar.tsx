import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import { useListActions } from './list-actions.ts';
import { TermNames } from './terms-field.tsx';
import { EraseButton } from './trash-buttons.tsx';

export function SelectionBar() {
  const { list, place, texts } = useApp();
  const { say } = texts;
  const actions = useListActions();
  const [asked, ask] = useState<'category' | 'tag'>();
  const count = list.chosen.value.size;
  const isTrash = place.value.value.status === 'trash';
  return (
    <div class="toolbar selected articles-toolbar">
      <IconButton
        icon="close"
        label={say('clearSelection')}
        onClick={() => {
          list.chosen.value = new Set();
        }}
      />
      <span class="selected-count" role="status">
        {say('selected', { count })}
      </span>
      <span class="space" />
      {isTrash ? (
        <>
          <Button icon="undo" onClick={() => void actions.restore()}>
            {say('restore')}
          </Button>
          <EraseButton />
        </>
      ) : (
        <>
          <Button onClick={() => void actions.publish(true)}>{say('publish')}</Button>
          <Button onClick={() => void actions.publish(false)}>{say('unpublish')}</Button>
          <Button onClick={() => ask('category')}>{say('setCategory')}</Button>
          <Button onClick={() => ask('tag')}>{say('addTag')}</Button>
          <IconButton icon="delete" label={say('delete')} onClick={() => void actions.remove()} />
        </>
      )}
      {asked !== undefined && <TermDialog kind={asked} onClose={() => ask(undefined)} />}
    </div>
  );
}

function TermDialog({ kind, onClose }: { kind: 'category' | 'tag'; onClose: () => void }) {
  const { terms, texts } = useApp();
  const { say } = texts;
  const actions = useListActions();
  const [value, setValue] = useState('');
  const isCategory = kind === 'category';
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (value.trim() === '') return;
    onClose();
    void (isCategory ? actions.categorize(Number(value)) : actions.tag(value));
  };
  return (
    <Modal title={say(isCategory ? 'setCategory' : 'addTag')} onClose={onClose} look="small">
      <form class="form" onSubmit={submit}>
        <div class="field">
          <label for="articles-term">{say(isCategory ? 'category' : 'tags')}</label>
          {isCategory ? (
            <select
              id="articles-term"
              value={value}
              onChange={({ currentTarget }) => setValue(currentTarget.value)}
            >
              <option value="" />
              {terms.categories.value.map(({ id, name }) => (
                <option key={id} value={String(id)}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            <input
              id="articles-term"
              value={value}
              autofocus
              list="articles-tag-names"
              onInput={({ currentTarget }) => {
                setValue(currentTarget.value);
                terms.suggest('tags', currentTarget.value);
              }}
            />
          )}
        </div>
        <TermNames id="articles-tag-names" kind="tags" />
        <div class="modal-buttons">
          <Button onClick={onClose}>{say('cancel')}</Button>
          <button type="submit" class="button primary" disabled={value.trim() === ''}>
            <span>{say('save')}</span>
          </button>
        </div>
      </form>
    </Modal>
  );
}
