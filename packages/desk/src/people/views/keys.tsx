import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { type ApiKey, SCOPES, type Scope } from '../api/integrations.ts';
import { usePeople } from '../people-context.ts';
import type { Texts } from '../text/texts.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { ListPage, Sure, useListed } from './list-page.tsx';
import { refusalOf } from './words.ts';

/** The keys with which programs read and write articles. */
export function KeysPage() {
  const { integrations, texts } = usePeople();
  const { say } = texts;
  const list = useListed(() => integrations.keys(), refusalOf);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<{ name: string; key: string }>();
  const [revoked, setRevoked] = useState<ApiKey>();
  return (
    <>
      <ListPage name="keys" list={list} onNew={() => setMaking(true)}>
        <table class="people-table trail-table">
          <thead>
            <tr>
              <th scope="col">{say('name')}</th>
              <th scope="col">{say('keyMay')}</th>
              <th scope="col">{say('state')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {list.listed?.map((key) => (
              <tr key={key.prefix}>
                <th scope="row">
                  <bdi>{texts.name(key.name)}</bdi> <code>pk_{key.prefix}</code>
                </th>
                <td>
                  {say(`scope_${key.scope}`)}
                  {key.category_id !== null && ` · ${say('onlyCategory', { id: key.category_id })}`}
                </td>
                <td>{stateOf(key, texts)}</td>
                <td>
                  {key.revoked_at === null && (
                    <Button aria-label={say('revokeKey', { name: key.name })} onClick={() => setRevoked(key)}>
                      {say('revoke')}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ListPage>
      {isMaking && (
        <KeyDialog
          onClose={() => setMaking(false)}
          onMade={(name, key) => {
            setMaking(false);
            setMade({ name, key });
            void list.load();
          }}
        />
      )}
      {made !== undefined && (
        <CopyDialog
          title={say('keyMade', { name: made.name })}
          hint={say('keyMadeHint')}
          label={say('shownOnce')}
          value={made.key}
          button={say('copyIt')}
          onClose={() => setMade(undefined)}
        />
      )}
      {revoked !== undefined && (
        <Sure
          title={say('revokeTitle', { name: revoked.name })}
          hint={say('revokeHint')}
          button={say('revoke')}
          onClose={() => setRevoked(undefined)}
          onSure={() => {
            setRevoked(undefined);
            void list.attempt(() => integrations.revokeKey(revoked.prefix));
          }}
        />
      )}
    </>
  );
}

function stateOf({ revoked_at, expires_at, last_used_at }: ApiKey, texts: Texts): string {
  const { say } = texts;
  if (revoked_at !== null) return say('keyRevoked', { date: texts.date(Date.parse(revoked_at)) });
  const end = expires_at === null ? undefined : Date.parse(expires_at);
  if (end !== undefined && end <= Date.now()) return say('keyExpired', { date: texts.date(end) });
  const used =
    last_used_at === null ? say('keyUnused') : say('keyUsed', { date: texts.date(Date.parse(last_used_at)) });
  return end === undefined ? used : `${used} · ${say('keyUntil', { date: texts.date(end) })}`;
}

interface KeyDialogProps {
  onClose: () => void;
  onMade: (name: string, key: string) => void;
}

/** Asks what a key is for. */
function KeyDialog({ onClose, onMade }: KeyDialogProps) {
  const { integrations, texts } = usePeople();
  const { say } = texts;
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('published');
  const [category, setCategory] = useState('');
  const [end, setEnd] = useState('');
  const [categories, setCategories] = useState<readonly { id: number; name: string }[]>([]);
  useEffect(() => void integrations.categories().then(setCategories, () => undefined), [integrations]);
  const isOfCategory = scope === 'write' || scope === 'publish';
  const submit = async () => {
    const key = await integrations.makeKey({
      name: name.trim(),
      scope,
      ...(isOfCategory && category !== '' && { category_id: Number(category) }),
      ...(end !== '' && { expires_at: new Date(`${end}T00:00`).toISOString() }),
    });
    onMade(name.trim(), key);
    return undefined;
  };
  return (
    <SubmitDialog
      say={say}
      title={say('new_keys')}
      button={say('makeKey')}
      onSubmit={submit}
      reasonOf={(problem) => refusalOf(problem, say)}
      onClose={onClose}
    >
      <label class="field">
        <span>{say('keyName')}</span>
        <input
          value={name}
          required
          autofocus
          maxLength={255}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <fieldset class="people-roles">
        <legend>{say('keyMay')}</legend>
        {SCOPES.map((one) => (
          <label key={one} class="people-role">
            <input type="radio" name="scope" checked={one === scope} onChange={() => setScope(one)} />
            <span>
              <strong>{say(`scope_${one}`)}</strong>
              <span class="hint">{say(`scopeHint_${one}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isOfCategory && categories.length > 0 && (
        <label class="field">
          <span>{say('keyCategory')}</span>
          <select value={category} onChange={({ currentTarget }) => setCategory(currentTarget.value)}>
            <option value="">{say('anyCategory')}</option>
            {categories.map((one) => (
              <option key={one.id} value={String(one.id)}>
                {texts.name(one.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field">
        <span>{say('keyEnd')}</span>
        <input type="date" value={end} onInput={({ currentTarget }) => setEnd(currentTarget.value)} />
      </label>
    </SubmitDialog>
  );
}
