import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import { useListActions } from './list-actions.ts';
import { TermNames } from './terms-field.tsx';
import { EraseButton } from './trash-buttons.tsx';

/** So many articles become public only after a question. */
const MANY = 20;

export function SelectionBar() {
  const { list, place, texts } = useApp();
  const { say } = texts;
  const actions = useListActions();
  const [asked, ask] = useState<'category' | 'tag' | 'publish'>();
  const chosen = list.chosen.value;
  const count = chosen.size;
  const isTrash = place.value.value.status === 'trash';
  const scheduled = list.articles.value.filter(
    ({ id, state }) => state === 'scheduled' && chosen.has(id),
  ).length;
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
      <AllButton />
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
          <Button
            onClick={() => (scheduled > 0 || count > MANY ? ask('publish') : void actions.publish('publish'))}
          >
            {say('publish')}
          </Button>
          {scheduled > 0 && (
            <Button onClick={() => void actions.publish('unschedule')}>{say('unschedule')}</Button>
          )}
          <Button onClick={() => void actions.publish('unpublish')}>{say('unpublish')}</Button>
          <Button onClick={() => ask('category')}>{say('setCategory')}</Button>
          <Button onClick={() => ask('tag')}>{say('addTag')}</Button>
          <IconButton icon="delete" label={say('delete')} onClick={() => actions.remove()} />
        </>
      )}
      {asked === 'publish' && (
        <Modal title={say('publishTitleOf', { count })} onClose={() => ask(undefined)} look="small">
          <p class="hint">{scheduled > 0 && say('publishScheduledHint', { count: scheduled })}</p>
          <div class="modal-buttons">
            <Button onClick={() => ask(undefined)} autofocus>
              {say('cancel')}
            </Button>
            <Button
              kind="primary"
              onClick={() => {
                ask(undefined);
                void actions.publish('publish');
              }}
            >
              {say('publishNow')}
            </Button>
          </div>
        </Modal>
      )}
      {(asked === 'category' || asked === 'tag') && (
        <TermDialog kind={asked} onClose={() => ask(undefined)} />
      )}
    </div>
  );
}

/** Selects all that the filters match, also what is not loaded; how many that is, if it is known. */
function AllButton() {
  const { list, notices, texts } = useApp();
  const { say } = texts;
  const [isBusy, setBusy] = useState(false);
  const { size } = list.chosen.value;
  const total = list.total.value;
  const isWhole = list.state.value === 'complete' && size === list.articles.value.length;
  if (isWhole || size === total || list.isInexact.value) return null;
  const choose = async () => {
    setBusy(true);
    if (!(await list.chooseAll())) notices.failed(say('notAllSelected'));
    setBusy(false);
  };
  return (
    <Button kind="quiet" disabled={isBusy} onClick={() => void choose()}>
      {total === undefined ? say('selectAll') : say('selectAllOf', { count: total })}
    </Button>
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
          <label for="articles-term">{say(isCategory ? 'field_category_id' : 'field_tags')}</label>
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
