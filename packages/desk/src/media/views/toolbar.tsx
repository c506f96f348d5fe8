import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import { useWide } from '../../shared/views/use-wide.ts';
import { useApp } from '../app-context.ts';
import type { SortKey } from '../state/place.ts';
import type { TextName } from '../text/texts.ts';
import { isInTrash, TRASH } from '../trash.ts';
import { useActions } from './actions.ts';
import { runAction, useItems } from './selection-menu.ts';

const SORTS: Readonly<Record<SortKey, TextName>> = {
  name: 'byName',
  modified: 'byModified',
  size: 'bySize',
  type: 'byType',
};

export function Toolbar() {
  const { selection } = useApp();
  return (
    <>
      {selection.paths.value.size > 0 && <SelectionBar />}
      <FolderBar />
    </>
  );
}

function FolderBar() {
  const { dialogs, folder: listed, me, place, texts } = useApp();
  const { say } = texts;
  const { folder, view, sort, descending, filter, everywhere } = place.value.value;
  const isWide = useWide();
  return (
    <div class="toolbar">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          aria-label={say('filter')}
          placeholder={say('filter')}
          value={filter}
          onInput={({ currentTarget }) => place.replace({ filter: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') place.replace({ filter: '', everywhere: false });
          }}
        />
      </div>
      <label class="everywhere">
        <input
          type="checkbox"
          checked={everywhere}
          onChange={({ currentTarget }) => place.replace({ everywhere: currentTarget.checked })}
        />
        <span>{say('everywhere')}</span>
      </label>
      <span class="space" />
      {!isWide && (
        <Button
          kind="quiet"
          icon="folder"
          aria-label={say('folders')}
          onClick={() => dialogs.show({ kind: 'folders' })}
        >
          {say('folders')}
        </Button>
      )}
      {!isInTrash(folder) && me.may('organize') && (
        <Button
          kind="quiet"
          icon="newFolder"
          aria-label={say('newFolder')}
          onClick={() => dialogs.show({ kind: 'new-folder' })}
        >
          {say('newFolder')}
        </Button>
      )}
      {folder === TRASH && listed.loaded.value.length > 0 && me.may('organize') && (
        <Button kind="quiet" icon="delete" onClick={() => dialogs.show({ kind: 'empty-trash' })}>
          {say('emptyTrash')}
        </Button>
      )}
      <Menu
        label={say('sortBy')}
        look="button quiet"
        items={[
          ...Object.entries(SORTS).map(([value, text]) => ({
            value,
            label: say(text),
            checked: sort === value,
          })),
          { value: 'ascending', label: say('ascending'), checked: !descending, heading: '' },
          { value: 'descending', label: say('descending'), checked: descending },
        ]}
        onSelect={(value) => {
          if (value === 'ascending' || value === 'descending') {
            return place.replace({ descending: value === 'descending' });
          }
          place.replace({ sort: value as SortKey });
        }}
      >
        <Icon name="sort" />
        <span>{say('sortBy')}</span>
      </Menu>
      <div class="switch" role="group" aria-label={say('view')}>
        {(['grid', 'table'] as const).map((name) => (
          <IconButton
            key={name}
            icon={name}
            label={say(`${name}View`)}
            aria-pressed={view === name}
            onClick={() => place.replace({ view: name })}
          />
        ))}
      </div>
    </div>
  );
}

function SelectionBar() {
  const app = useApp();
  const { me, selection, texts } = app;
  const { say } = texts;
  const actions = useActions();
  const items = useItems();
  return (
    <div class="toolbar selected">
      <IconButton icon="close" label={say('clearSelection')} onClick={() => selection.clear()} />
      <span class="selected-count" role="status">
        {say('selected', { count: selection.paths.value.size })}
      </span>
      <span class="space" />
      <Button
        kind="quiet"
        icon="download"
        aria-label={say('download')}
        onClick={() => void actions.download()}
      >
        {say('download')}
      </Button>
      {!me.may('organize') ? null : isInTrash(app.place.value.value.folder) ? (
        <Button kind="quiet" icon="undo" aria-label={say('restore')} onClick={() => actions.restore()}>
          {say('restore')}
        </Button>
      ) : (
        <>
          <Button kind="quiet" icon="move" aria-label={say('moveTo')} onClick={() => actions.move()}>
            {say('moveTo')}
          </Button>
          <Button kind="quiet" icon="copy" aria-label={say('copyTo')} onClick={() => actions.copyTo()}>
            {say('copyTo')}
          </Button>
        </>
      )}
      {me.may('organize') && (
        <Button kind="quiet" icon="delete" aria-label={say('delete')} onClick={() => actions.remove()}>
          {say('delete')}
        </Button>
      )}
      <Menu
        label={say('moreActions')}
        items={items}
        onSelect={(value) => void runAction(value, app, actions)}
      >
        <Icon name="more" />
      </Menu>
    </div>
  );
}
