import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { faultWords } from '../../shared/views/problem-view.tsx';
import type { Source, SourceChange, SourceDetail, Tagged } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import type { TextName } from '../text/texts.ts';
import { SelectField, TextArea, TextField } from './fields.tsx';
import { troubleWords } from './trouble.tsx';

/** The request settings of a source as typed; headers are lines, and secrets are empty until typed anew. */
interface Values {
  readonly userAgent: string;
  readonly timeoutSeconds: string;
  readonly timeZone: string;
  readonly proxy: string;
  readonly identity: Source['identity'];
  readonly username: string;
  readonly password: string;
  readonly headers: string;
}

const LABELS: Readonly<Record<keyof Values, TextName>> = {
  userAgent: 'userAgent',
  timeoutSeconds: 'timeoutSeconds',
  timeZone: 'sourceZone',
  proxy: 'sourceProxy',
  identity: 'entryIdentity',
  username: 'loginName',
  password: 'loginPassword',
  headers: 'headers',
};

const IDENTITIES = ['auto', 'guid', 'link', 'both', 'content'] as const;

/** The request and reading settings of a source. Its secrets do not come back: a save has no undo. */
export function SourceAccess({ before, onSaved }: { before: Tagged<SourceDetail>; onSaved: () => void }) {
  const { api, texts, typed } = useNews();
  const { say } = texts;
  const was = valuesOf(before.value);
  const [values, setValues] = useState(was);
  const [problem, setProblem] = useState<ApiProblem>();
  const change = changeOf(was, values);
  const { proxies } = before.value;
  const save = async () => {
    setProblem(undefined);
    try {
      const { id } = before.value;
      const saved = await api.changeSource(id, change, before.etag);
      // The other form still holds what was typed for the former values.
      const kept = typed.get(id);
      if (kept?.etag === before.etag) typed.set(id, { ...kept, etag: saved.etag });
      onSaved();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const of = (one: keyof Values) => {
    const fault = problem?.fields.find(({ field }) => field.split('.').includes(one));
    const field = fault?.field.replace(/(\.\d+)\..*$/, '$1') ?? '';
    return {
      label: say(LABELS[one]),
      value: values[one],
      onValue: (value: string) => setValues({ ...values, [one]: value }),
      problem: fault && faultWords({ ...fault, field }, say),
    };
  };
  return (
    <details class="more-lines">
      <summary>{say('access')}</summary>
      <form
        class="form settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="hint">{say('accessHint')}</p>
        <TextField hint={say('userAgentHint')} {...of('userAgent')} />
        <div class="form-row">
          <TextField inputMode="decimal" hint={say('timeoutHint')} {...of('timeoutSeconds')} />
          <TextField hint={say('sourceZoneHint')} {...of('timeZone')} />
        </div>
        {(proxies.length > 0 || values.proxy !== '') && (
          <SelectField
            {...of('proxy')}
            hint={say('sourceProxyHint')}
            choices={[['', say('none')], ...proxies.map((one) => [one, one] as const)]}
          />
        )}
        <SelectField
          label={say('entryIdentity')}
          hint={say('entryIdentityHint')}
          value={values.identity}
          choices={IDENTITIES.map((one) => [one, say(`identity_${one}`)] as const)}
          onValue={(value) =>
            setValues({ ...values, identity: IDENTITIES.find((one) => one === value) ?? 'auto' })
          }
        />
        <div class="form-row">
          <TextField {...of('username')} />
          <TextField type="password" hint={say('secretHint')} {...of('password')} />
        </div>
        <TextArea isCode rows={3} hint={say('headersHint')} {...of('headers')} />
        <p class="form-problem" role="alert">
          {problem !== undefined &&
            problem.fields.length === 0 &&
            (problem.code === 'not_configured' ? say('accessNeedsKey') : troubleWords(problem, say))}
        </p>
        <div class="modal-buttons">
          <button type="submit" class="button primary" disabled={Object.keys(change).length === 0}>
            <span>{say('saveAccess')}</span>
          </button>
        </div>
      </form>
    </details>
  );
}

function valuesOf(source: Source): Values {
  const { userAgent, timeoutSeconds, timeZone, proxy, identity, basicAuth, headers } = source;
  return {
    userAgent: userAgent ?? '',
    timeoutSeconds: timeoutSeconds === null ? '' : String(timeoutSeconds),
    timeZone: timeZone ?? '',
    proxy: proxy ?? '',
    identity,
    username: basicAuth?.username ?? '',
    password: '',
    headers: headers.map(({ name }) => `${name}:`).join('\n'),
  };
}

/** The changes; a header without a value, and a name without a password, keep those that they have. */
function changeOf(before: Values, after: Values): SourceChange {
  const { userAgent, timeoutSeconds, timeZone, proxy, identity, username, password, headers } = after;
  const isOther = (...names: (keyof Values)[]) => names.some((name) => before[name] !== after[name]);
  const login = username === '' ? null : { username, ...(password !== '' && { password }) };
  return {
    ...(isOther('userAgent') && { userAgent: userAgent.trim() }),
    ...(isOther('timeoutSeconds') && {
      timeoutSeconds: timeoutSeconds.trim() === '' ? null : Number(timeoutSeconds),
    }),
    ...(isOther('timeZone') && { timeZone: timeZone.trim() }),
    ...(isOther('proxy') && { proxy }),
    ...(isOther('identity') && { identity }),
    ...(isOther('username', 'password') && { basicAuth: login }),
    ...(isOther('headers') && { headers: headersOf(headers) }),
  };
}

function headersOf(text: string): { name: string; value?: string }[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = line, value = ''] = /^([^:]*):?(.*)$/.exec(line) ?? [];
    return { name: name.trim(), ...(value.trim() !== '' && { value: value.trim() }) };
  });
}
