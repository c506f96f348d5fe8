import { useState } from 'preact/hooks';
import type { Role } from '../../shared/state/me.ts';
import { Icon } from '../../shared/views/icon.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import type { MenuItem } from '../../shared/views/menu-item.ts';
import type { Person } from '../api/people.ts';
import { usePeople } from '../people-context.ts';
import { InviteDialog, ROLES } from './invite-dialog.tsx';
import { LinkDialog, type ShownLink } from './link-dialog.tsx';
import { ListPage, Sure, useListed } from './list-page.tsx';
import { reasonOf, stateOf } from './words.ts';

/** The section: everybody who has an account, and how somebody gets one. */
export function PeoplePage() {
  const { api, me, texts } = usePeople();
  const { say } = texts;
  const list = useListed(() => api.list(), reasonOf);
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<ShownLink>();
  const [removed, setRemoved] = useState<Person>();
  const attempt = async (work: () => Promise<void>) => {
    await list.attempt(work);
    // One's own role may be another now.
    await me.load().catch(() => undefined);
  };
  const act = (person: Person, value: string) => {
    const { id, name, active } = person;
    if (value === 'remove') return setRemoved(person);
    void attempt(async () => {
      if (value === 'link') setLink({ name, ...(await api.invite(id)) });
      else if (value === 'factors') await api.removeFactors(id);
      else if (value === 'switch') await api.change(id, { active: !active });
      else await api.change(id, { role: value as Role });
    });
  };
  return (
    <>
      <ListPage name="people" list={list} onNew={() => setInviting(true)}>
        <PeopleTable people={list.listed ?? []} onAct={act} />
      </ListPage>
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false);
            setLink(made);
            void list.load();
          }}
        />
      )}
      {link !== undefined && <LinkDialog link={link} onClose={() => setLink(undefined)} />}
      {removed !== undefined && (
        <Sure
          title={say('removeTitle', { name: removed.name })}
          hint={say('removeHint')}
          button={say('remove')}
          onClose={() => setRemoved(undefined)}
          onSure={() => {
            setRemoved(undefined);
            void attempt(() => api.remove(removed.id));
          }}
        />
      )}
    </>
  );
}

interface PeopleTableProps {
  people: readonly Person[];
  onAct: (person: Person, value: string) => void;
}

function PeopleTable({ people, onAct }: PeopleTableProps) {
  const { me, texts } = usePeople();
  const { say } = texts;
  const self = me.profile.value;
  return (
    <table class="people-table">
      <thead>
        <tr>
          {(['name', 'email', 'role', 'state'] as const).map((name) => (
            <th key={name} scope="col">
              {say(name)}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {self?.id === null && (
          <tr>
            <th scope="row">
              <bdi>{texts.name(self.name)}</bdi>
            </th>
            <td>{self.email}</td>
            <td>{say(`role_${self.role}`)}</td>
            <td>{say('accountOfServer')}</td>
            <td />
          </tr>
        )}
        {people.map((person) => {
          const label = say('actionsFor', { name: person.name });
          return (
            <tr key={person.id} class={person.active ? undefined : 'off'}>
              <th scope="row">
                <bdi>{texts.name(person.name)}</bdi>
              </th>
              <td>{person.email}</td>
              <td>{say(`role_${person.role}`)}</td>
              <td>{stateOf(person, texts)}</td>
              <td class="people-actions">
                <Menu label={label} items={itemsFor(person, say)} onSelect={(value) => onAct(person, value)}>
                  <Icon name="more" />
                </Menu>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function itemsFor(person: Person, say: ReturnType<typeof usePeople>['texts']['say']): MenuItem[] {
  const { active, role, passkeys, hasTotp, isLinked } = person;
  return [
    ...(active ? [{ value: 'link', label: say('newLink'), icon: 'link' as const }] : []),
    ...(passkeys > 0 || hasTotp || isLinked ? [{ value: 'factors', label: say('removeFactors') }] : []),
    { value: 'switch', label: say(active ? 'switchOff' : 'switchOn') },
    ...ROLES.map((one, index) => ({
      value: one,
      label: say(`role_${one}`),
      checked: one === role,
      ...(index === 0 && { heading: say('role') }),
    })),
    { value: 'remove', label: say('remove'), icon: 'delete', danger: true, heading: '' },
  ];
}
