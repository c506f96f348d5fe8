import { useEffect, useState } from 'preact/hooks';
import { hasPasskeys } from '../../shared/api/passkeys.ts';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { Factors, Passkey } from '../../shared/api/service.ts';
import { deviceOf } from '../../shared/state/device.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { useAccount } from '../account-context.ts';
import type { Say } from '../text/texts.ts';
import { AppForm } from './app-form.tsx';

/** Passkeys, an authenticator app, and recovery codes. */
export function FactorsSection() {
  const { api, connection, service, session, texts } = useAccount();
  const { say } = texts;
  const [factors, setFactors] = useState<Factors>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const load = async (work?: () => Promise<unknown>): Promise<boolean> => {
    setProblem(undefined);
    try {
      await work?.();
      setFactors(await service.factors());
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      return false;
    }
  };
  useEffect(() => void load(), [api, connection.returns.value]);
  const reason = (
    <p class="form-problem" role="alert">
      {problem !== undefined && factorWords(problem, say)}
    </p>
  );
  if (factors === undefined) return problem === undefined ? <Loading /> : reason;
  const { passkeys, totpSince, hasPassword, recoveryCodes } = factors;
  const isSetUp = passkeys.length > 0 || totpSince !== null;
  return (
    <section class="account-factors">
      <h2>{say('factors')}</h2>
      {session.setUp.value > 0 && !isSetUp && <p role="alert">{say('setUpNeeded')}</p>}
      <p class="hint">{say('factorsHint')}</p>
      {passkeys.length > 0 && (
        <ul>
          {passkeys.map((passkey) => (
            <PasskeyLine
              key={passkey.id}
              passkey={passkey}
              onChange={() => void load()}
              onRemove={() => void load(() => api.removePasskey(passkey.id))}
            />
          ))}
        </ul>
      )}
      {hasPasskeys() ? (
        <PasskeyForm onAdd={(name) => load(() => api.addPasskey(name))} />
      ) : (
        <p class="hint">{say('noPasskeysHere')}</p>
      )}
      {totpSince === null ? (
        <AppForm
          onDone={(made) => {
            setCodes(made);
            void load();
          }}
        />
      ) : (
        <p class="account-factor">
          <span>{say('appSince', { date: texts.date(Date.parse(totpSince)) })}</span>
          <Button onClick={() => void load(() => api.removeTotp())}>{say('removeApp')}</Button>
        </p>
      )}
      {isSetUp && hasPassword && (
        <p class="account-factor">
          <span>{say('codesLeft', { count: recoveryCodes })}</span>
          <Button onClick={() => void load(async () => setCodes(await api.renewCodes()))}>
            {say('renewCodes')}
          </Button>
        </p>
      )}
      {codes.length > 0 && <RecoveryCodes codes={codes} />}
      {reason}
    </section>
  );
}

interface PasskeyLineProps {
  passkey: Passkey;
  /** Looks again at what there is. */
  onChange: () => void;
  onRemove: () => void;
}

function PasskeyLine({ passkey, onChange, onRemove }: PasskeyLineProps) {
  const { texts } = useAccount();
  const { say } = texts;
  const [isRenaming, setRenaming] = useState(false);
  const { name, createdAt, lastUsedAt } = passkey;
  const date = (time: string) => ({ date: texts.date(Date.parse(time)) });
  const used = lastUsedAt === null ? say('neverUsed') : say('lastUse', date(lastUsedAt));
  return (
    <li>
      <div class="account-session-words">
        <strong>{texts.name(name)}</strong>
        <span class="hint">{[say('madeOn', date(createdAt)), used].join(' · ')}</span>
      </div>
      <Button aria-label={say('renameOne', { name })} onClick={() => setRenaming(true)}>
        {say('rename')}
      </Button>
      <Button aria-label={say('removeOne', { name })} onClick={onRemove}>
        {say('remove')}
      </Button>
      {isRenaming && (
        <RenameDialog passkey={passkey} onChange={onChange} onClose={() => setRenaming(false)} />
      )}
    </li>
  );
}

interface RenameDialogProps {
  passkey: Passkey;
  onChange: () => void;
  onClose: () => void;
}

function RenameDialog({ passkey, onChange, onClose }: RenameDialogProps) {
  const { api, texts } = useAccount();
  const { say } = texts;
  const [name, setName] = useState(passkey.name);
  return (
    <SubmitDialog
      say={say}
      title={say('renameOne', { name: passkey.name })}
      look="small"
      button={say('save')}
      reasonOf={(problem) => factorWords(problem, say)}
      onClose={onClose}
      onSubmit={async () => {
        await api.renamePasskey(passkey.id, name.trim());
        onClose();
        onChange();
        return undefined;
      }}
    >
      <NameField label={say('newName')} name={name} onName={setName} />
    </SubmitDialog>
  );
}

interface NameFieldProps {
  label: string;
  name: string;
  onName: (name: string) => void;
}

function NameField({ label, name, onName }: NameFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        value={name}
        required
        maxLength={100}
        autocomplete="off"
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
    </label>
  );
}

function PasskeyForm({ onAdd }: { onAdd: (name: string) => Promise<boolean> }) {
  const { texts } = useAccount();
  const { say } = texts;
  const { browser, system } = deviceOf(navigator.userAgent);
  const known = browser !== undefined && system !== undefined ? say('deviceOn', { browser, system }) : '';
  const [name, setName] = useState(known);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    await onAdd(name.trim());
    setBusy(false);
  };
  return (
    <form class="form" aria-label={say('addPasskey')} onSubmit={submit}>
      <NameField label={say('passkeyName')} name={name} onName={setName} />
      <button type="submit" class="button plain" disabled={isBusy}>
        <span>{say('addPasskey')}</span>
      </button>
    </form>
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { say } = useAccount().texts;
  return (
    <div role="status">
      <p>{say('codesHint')}</p>
      <ol class="account-codes" aria-label={say('recoveryCodes')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}

function factorWords(problem: ApiProblem, say: Say): string {
  if (problem.code === 'last_way_in') return say('lastWayIn');
  return problem.code === 'too_many_passkeys' ? say('tooManyPasskeys') : problemWords(problem, say);
}
