import { Icon } from '../../shared/views/icon.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import { isComputed, type Redirect } from '../api/redirects.ts';
import { useOrganise } from '../organise-context.ts';
import { readable } from './site-address.ts';

type Action = 'write' | 'remove';

interface RedirectTableProps {
  redirects: readonly Redirect[];
  onAct: (redirect: Redirect, action: Action) => void;
}

export function RedirectTable({ redirects, onAct }: RedirectTableProps) {
  const { me, texts } = useOrganise();
  const { say } = texts;
  return (
    <table class="organise-table organise-redirects">
      <thead>
        <tr>
          <th scope="col">{say('from')}</th>
          <th scope="col">{say('to')}</th>
          <th scope="col">{say('readersGet')}</th>
          {me.may('edit') && <td />}
        </tr>
      </thead>
      <tbody>
        {redirects.map((redirect) => {
          const { id, from, status, source } = redirect;
          return (
            <tr key={id}>
              <th scope="row">
                <bdi>{from}</bdi>
                {source !== 'manual' && <span class="organise-source">{say(`source_${source}`)}</span>}
              </th>
              <td>
                <Target redirect={redirect} />
              </td>
              <td class="organise-status">{say(`status_${status}`)}</td>
              {me.may('edit') && (
                <td class="organise-actions">
                  <Menu
                    label={say('actionsFor', { name: from })}
                    items={
                      isComputed(redirect)
                        ? [{ value: 'write', label: say('leadElsewhere'), icon: 'edit' }]
                        : [
                            { value: 'write', label: say('edit'), icon: 'edit' },
                            {
                              value: 'remove',
                              label: say('remove'),
                              icon: 'delete',
                              danger: true,
                              heading: '',
                            },
                          ]
                    }
                    onSelect={(value) => onAct(redirect, value as Action)}
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

/** Where a redirect leads, and where that leads on. */
function Target({ redirect: { to, answer } }: { redirect: Redirect }) {
  const { say } = useOrganise().texts;
  const further =
    answer === null
      ? say('inCircle')
      : answer.status === 410
        ? to !== null && say('thenGone')
        : answer.location !== to && say('thenOn', { to: readable(answer.location) });
  return (
    <>
      {to !== null && <bdi class="organise-to">{readable(to)}</bdi>}
      {further && <span class="organise-further">{further}</span>}
    </>
  );
}
