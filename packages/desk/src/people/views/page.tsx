import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { Role } from '../../shared/state/me.ts';
import { Button } from '../../shared/views/button.tsx';
import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import type { MenuItem } from '../../shared/views/menu-item.ts';
import { Modal } from '../../shared/views/modal.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { useTitle } from '../../shared/views/use-title.ts';
import type { Person } from '../api/people.ts';
import { usePeople } from '../people-context.ts';
import { InviteDialog, ROLES } from './invite-dialog.tsx';
import { LinkDialog, type ShownLink } from './link-dialog.tsx';
import { Pages } from './pages.tsx';
import { reasonOf, stateOf } from './words.ts';

/** The section: everybody who has an account, and how somebody gets one. */
export function PeoplePage() {
  const { api, connection, me, texts } = usePeople();
  const { say } = texts;
  const [people, setPeople] = useState<readonly Person[]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [refused, setRefused] = useState<string>();
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<ShownLink>();
  const [removed, setRemoved] = useState<Person>();
  useTitle(say('people'));
  const load = async () => {
    setProblem(undefined);
    try {
      setPeople(await api.list());
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => void load(), [api, connection.returns.value]);
  const attempt = async (work: () => Promise<void>) => {
    setRefused(undefined);
    try {
      await work();
    } catch (error) {
      setRefused(reasonOf(asProblem(error), say));
    }
    await load();
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
    <div class="page people">
      <Header>
        <span class="space" />
        {me.may('administer') && (
          <Button kind="primary" icon="add" aria-label={say('invite')} onClick={() => setInviting(true)}>
            {say('invite')}
          </Button>
        )}
      </Header>
      <main class="main people-main">
        <Pages />
        <h1>{say('people')}</h1>
        <p class="hint">{say('peopleHint')}</p>
        <p class="form-problem" role="alert">
          {refused}
        </p>
        {people === undefined ? (
          problem === undefined ? (
            <Loading />
          ) : (
            <ProblemView problem={problem} onRetry={() => void load()} />
          )
        ) : people.length === 0 ? (
          <div class="empty">
            <Icon name="people" size={32} />
            <p class="empty-title">{say('nobody')}</p>
          </div>
        ) : (
          <PeopleTable people={people} onAct={act} />
        )}
      </main>
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false);
            setLink(made);
            void load();
          }}
        />
      )}
      {link !== undefined && <LinkDialog link={link} onClose={() => setLink(undefined)} />}
      {removed !== undefined && (
        <Modal
          title={say('removeTitle', { name: removed.name })}
          onClose={() => setRemoved(undefined)}
          look="small"
        >
          <p class="hint">{say('removeHint')}</p>
          <div class="modal-buttons">
            <Button onClick={() => setRemoved(undefined)} autofocus>
              {say('cancel')}
            </Button>
            <Button
              kind="danger"
              onClick={() => {
                setRemoved(undefined);
                void attempt(() => api.remove(removed.id));
              }}
            >
              {say('remove')}
            </Button>
          </div>
        </Modal>
      )}
    </div>
  );
}

interface PeopleTableProps {
  people: readonly Person[];
  onAct: (person: Person, value: string) => void;
}

function PeopleTable({ people, onAct }: PeopleTableProps) {
  const { texts } = usePeople();
  const { say } = texts;
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
