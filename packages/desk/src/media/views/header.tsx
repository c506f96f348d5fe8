import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { onGo } from '../../shared/views/link.tsx';
import type { MenuItem } from '../../shared/views/menu-item.ts';
import { useApp } from '../app-context.ts';
import type { PlaceValue } from '../state/place.ts';
import { isInTrash, originalOf, TRASH } from '../trash.ts';
import { dropOn } from './entry-link.tsx';
import { UploadButton } from './upload-button.tsx';

export function MediaHeader() {
  const { dialogs, me, place, texts } = useApp();
  const { say } = texts;
  const { folder, screen } = place.value.value;
  const isFiles = screen === 'files';
  const items: MenuItem[] = [
    { value: 'trash', label: say('trash'), icon: 'delete' },
    ...(me.may('administer') ? [{ value: 'buckets', label: say('buckets'), icon: 'buckets' } as const] : []),
  ];
  const select = (value: string) => {
    if (value === 'buckets') return place.go({ screen: 'buckets', file: undefined });
    place.go(toTrash());
  };
  return (
    <Header items={items} onSelect={select} onKeyboard={() => dialogs.show({ kind: 'keyboard' })}>
      {isFiles ? <Breadcrumb /> : <span class="header-title">{say('buckets')}</span>}
      <span class="space" />
      {isFiles && !isInTrash(folder) && me.may('upload') && <UploadButton />}
    </Header>
  );
}

/** The place of the trash, what was deleted last first. */
export function toTrash(): Partial<PlaceValue> {
  const change = { folder: TRASH, file: undefined, filter: '', everywhere: false } as const;
  return { ...change, screen: 'files', sort: 'modified', descending: true };
}

function Breadcrumb() {
  const { me, place, texts, transfers } = useApp();
  const { folder } = place.value.value;
  const steps = stepsOf(folder);
  return (
    <nav class="breadcrumb" aria-label={texts.say('path')}>
      <ol key={folder} ref={showEnd}>
        {steps.map(({ path, name }, index) => {
          const isLast = index === steps.length - 1;
          const change = { folder: path, file: undefined, filter: '', everywhere: false };
          return (
            <li key={path}>
              {index > 0 && <Icon name="next" size={14} />}
              <a
                href={place.href(change)}
                aria-current={isLast ? 'page' : undefined}
                onClick={onGo(() => place.go(change))}
                {...(me.may('organize') && dropOn(path, transfers))}
              >
                <bdi>{path === '' || path === TRASH ? texts.folder(path) : texts.name(name)}</bdi>
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** Of a path that is longer than the window, the end matters. */
function showEnd(list: HTMLElement | null): void {
  list?.scrollTo({ left: list.scrollWidth });
}

/** The folders from the root to this one; those of deletions in the trash have no names. */
function stepsOf(folder: string): { path: string; name: string }[] {
  const steps = [{ path: '', name: '' }];
  for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1)) {
    const from = steps.at(-1)?.path.length ?? 0;
    steps.push({ path: folder.slice(0, end + 1), name: folder.slice(from, end) });
  }
  return steps.filter(({ path }) => !isInTrash(path) || originalOf(path) !== '');
}
