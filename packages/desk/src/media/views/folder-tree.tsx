import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../shared/views/icon.tsx';
import { onGo } from '../../shared/views/link.tsx';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { nameOf, parentOf } from '../state/place.ts';
import { isInTrash, TRASH } from '../trash.ts';
import { AudienceMark } from './audience-mark.tsx';
import { dropOn } from './entry-link.tsx';
import { toTrash } from './header.tsx';

interface TreeProps {
  /** Called once somebody has gone to a folder. */
  onGone?: () => void;
}

/** All folders below each other, as far as they are open, and the trash. */
export function FolderTree({ onGone }: TreeProps) {
  const { place, texts } = useApp();
  const { folder } = place.value.value;
  const trash = toTrash();
  return (
    <nav class="folder-tree" aria-label={texts.say('folders')}>
      <ul>
        <Branch path="" level={0} onGone={onGone} />
        <li>
          <div class="branch">
            <span class="branch-open" />
            <a
              href={place.href(trash)}
              aria-current={isInTrash(folder) ? 'page' : undefined}
              onClick={onGo(() => {
                place.go(trash);
                onGone?.();
              })}
            >
              <Icon name="delete" size={16} />
              <span>{texts.say('trash')}</span>
            </a>
          </div>
        </li>
      </ul>
    </nav>
  );
}

function Branch({ path, level, onGone }: TreeProps & { path: string; level: number }) {
  const { me, place, texts, transfers } = useApp();
  const { say } = texts;
  const { folder } = place.value.value;
  const isOnWay = !isInTrash(folder) && folder.startsWith(path);
  const [isOpen, setOpen] = useState(path === '' || isOnWay);
  useEffect(() => {
    if (isOnWay) setOpen(true);
  }, [isOnWay]);
  const folders = useFolders(path, isOpen);
  const name = path === '' ? say('root') : texts.name(nameOf(path));
  const change = { folder: path, file: undefined, filter: '', everywhere: false } as const;
  const entry: Entry = { kind: 'folder', name, path, size: 0, modified: 0, contentType: '' };
  return (
    <li>
      <div class="branch" style={{ paddingInlineStart: `${level * 16}px` }}>
        {path === '' || folders?.length === 0 ? (
          <span class="branch-open" />
        ) : (
          <button
            type="button"
            class="branch-open"
            aria-expanded={isOpen}
            aria-label={say(isOpen ? 'closeFolder' : 'openFolder', { name })}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'next'} size={14} />
          </button>
        )}
        <a
          href={place.href(change)}
          aria-current={folder === path ? 'page' : undefined}
          onClick={onGo(() => {
            place.go(change);
            onGone?.();
          })}
          {...(me.may('organize') && dropOn(path, transfers))}
        >
          <Icon name={path === '' ? 'media' : 'folder'} size={16} />
          <bdi>{name}</bdi>
          <AudienceMark entry={entry} />
        </a>
      </div>
      {isOpen && folders !== undefined && folders.length > 0 && (
        <ul>
          {folders.map((one) => (
            <Branch key={one.path} path={one.path} level={level + 1} onGone={onGone} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The folders in an open one; those of the folder that is shown are as its list is. */
function useFolders(path: string, isOpen: boolean): readonly Entry[] | undefined {
  const { api, connection, folder, place, tasks } = useApp();
  const [folders, setFolders] = useState<readonly Entry[]>();
  const { folder: here, everywhere, filter } = place.value.value;
  const isShown = here === path && !(everywhere && filter !== '') && folder.state.value === 'complete';
  const listed = isShown ? folder.loaded.value.filter(({ kind }) => kind === 'folder') : undefined;
  const names = listed?.map((one) => one.path).join('\n');
  // A path that is moved, copied, deleted or brought back may be a folder of any other.
  const done = tasks.list.value.filter(({ state }) => state === 'done').length;
  const returns = connection.returns.value;
  useEffect(() => {
    if (listed !== undefined) return setFolders(listed);
    if (!isOpen) return;
    let isCurrent = true;
    const show = (found: readonly Entry[]) => isCurrent && setFolders(found);
    api.folders(path).then(show, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [api, path, isOpen, names, done, returns]);
  return folders?.filter((one) => one.path !== TRASH && parentOf(one.path) === path);
}
