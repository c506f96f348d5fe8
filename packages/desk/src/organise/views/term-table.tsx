import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import type { MenuItem } from '../../shared/views/menu-item.ts';
import type { Kind, Term } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';
import { pathToArticles } from './remove-dialog.tsx';
import { TermPicture } from './term-dialog.tsx';

type Action = 'write' | 'up' | 'down' | 'merge' | 'remove';

interface TermTableProps {
  kind: Kind;
  terms: readonly Term[];
  onAct: (term: Term, action: Action) => void;
}

export function TermTable({ kind, terms, onAct }: TermTableProps) {
  const { me, texts } = useOrganise();
  const { say } = texts;
  return (
    <table class="organise-table">
      <thead>
        <tr>
          <th scope="col">{say('name')}</th>
          <th scope="col">{say('address')}</th>
          <th scope="col">{say('articleCount')}</th>
          {me.may('edit') && <td />}
        </tr>
      </thead>
      <tbody>
        {terms.map((term, index) => {
          const { id, slug, article_count: count, description, bio, picture } = term;
          const name = texts.name(term.name);
          const isLast = index === terms.length - 1;
          return (
            <tr key={id}>
              <th scope="row">
                <span class="organise-name">
                  <TermPicture src={picture} />
                  <span>
                    <bdi>{name}</bdi>
                    <span class="organise-about">{description ?? bio}</span>
                  </span>
                </span>
              </th>
              <td class="organise-address">{slug}</td>
              <td>
                <Link
                  to={pathToArticles(kind, term)}
                  aria-label={say('showArticles', { count, name: term.name })}
                >
                  {count.toLocaleString(texts.language.value)}
                </Link>
              </td>
              {me.may('edit') && (
                <td class="organise-actions">
                  <Menu
                    label={say('actionsFor', { name: term.name })}
                    items={itemsFor(kind, index === 0, isLast, say)}
                    onSelect={(value) => onAct(term, value as Action)}
                  >
                    <Icon name="more" />
                  </Menu>
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function itemsFor(
  kind: Kind,
  isFirst: boolean,
  isLast: boolean,
  say: ReturnType<typeof useOrganise>['texts']['say'],
): MenuItem[] {
  const isPlaced = kind === 'categories';
  return [
    { value: 'write', label: say('edit'), icon: 'edit' },
    ...(isPlaced && !isFirst ? [{ value: 'up', label: say('moveUp'), icon: 'up' as const }] : []),
    ...(isPlaced && !isLast ? [{ value: 'down', label: say('moveDown'), icon: 'down' as const }] : []),
    ...(isPlaced ? [] : [{ value: 'merge', label: say('merge'), icon: 'merge' as const }]),
    { value: 'remove', label: say('remove'), icon: 'delete', danger: true, heading: '' },
  ];
}
