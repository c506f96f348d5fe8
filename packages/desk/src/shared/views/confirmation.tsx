import { useEffect, useState } from 'preact/hooks';
import { hasPasskeys } from '../api/passkeys.ts';
import { type ApiProblem, asProblem } from '../api/problem.ts';
import type { Factors } from '../api/service.ts';
import { useDesk } from '../desk.ts';
import { Button } from './button.tsx';
import { Modal } from './modal.tsx';
import { problemWords } from './problem-view.tsx';

/** Asks who is logged in to show again who they are; what waits for it goes on, or is given up. */
export function Confirmation() {
  const { service, session, texts } = useDesk();
  const { say } = texts;
  const [factors, setFactors] = useState<Factors>();
  const [shown, setShown] = useState('');
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    service.factors().then(setFactors, (error: unknown) => setProblem(asProblem(error)));
    // Whoever has shown it in another window comes back to this one.
    const look = () => {
      const looking = service.factors().then(({ confirmed }) => confirmed && session.trust(true));
      looking.catch(() => undefined);
    };
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [service, session]);
  const attempt = async (confirm: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await confirm();
      session.trust(true);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  /** Goes to a provider in another window: what waits in this one is kept. */
  const leaveFor = async (provider: string) => {
    setProblem(undefined);
    // Browsers open one at a click only.
    const opened = open('', '_blank');
    try {
      (opened ?? window).location.assign(await service.confirmByAccount(provider));
    } catch (error) {
      opened?.close();
      setProblem(asProblem(error));
    }
  };
  const hasPassword = factors?.hasPassword ?? false;
  const asksText = hasPassword || (factors?.totpSince ?? null) !== null;
  const takesPasskey = hasPasskeys() && (factors?.passkeys.length ?? 0) > 0;
  const accounts = factors?.accounts.filter(({ provider }) => provider !== null) ?? [];
  const isLost = factors !== undefined && !asksText && !takesPasskey && accounts.length === 0;
  return (
    <Modal title={say('confirmTitle')} onClose={() => session.trust(false)} look="small">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(() => service.confirm(hasPassword ? { password: shown } : { code: shown }));
        }}
      >
        <p class="hint">{say(isLost ? 'confirmByLogin' : 'confirmHint')}</p>
        {asksText && (
          <label class="field">
            <span>{say(hasPassword ? 'password' : 'code')}</span>
            <input
              type={hasPassword ? 'password' : 'text'}
              autocomplete={hasPassword ? 'current-password' : 'one-time-code'}
              value={shown}
              required
              autofocus
              onInput={({ currentTarget }) => setShown(currentTarget.value)}
            />
          </label>
        )}
        <p class="form-problem" role="alert">
          {problem !== undefined && words(problem, say)}
        </p>
        {accounts.length > 0 && <p class="hint">{say('signInElsewhere')}</p>}
        <div class="modal-buttons">
          <Button onClick={() => session.trust(false)}>{say('cancel')}</Button>
          {accounts.map(({ id, provider, name }) => (
            <Button key={id} disabled={isBusy} onClick={() => void leaveFor(provider ?? '')}>
              {say('signInWith', { name: name ?? '' })}
            </Button>
          ))}
          {takesPasskey && (
            <Button disabled={isBusy} onClick={() => void attempt(() => service.confirmByPasskey())}>
              {say('usePasskey')}
            </Button>
          )}
          {asksText && (
            <button type="submit" class="button primary" disabled={isBusy}>
              <span>{say('confirm')}</span>
            </button>
          )}
        </div>
      </form>
    </Modal>
  );
}

function words(problem: ApiProblem, say: ReturnType<typeof useDesk>['texts']['say']): string {
  const { code, status, retryAfterMs = 60_000 } = problem;
  if (code === 'wrong_password') return say('wrongConfirmation');
  if (status === 429) return say('tooManyLogins', { minutes: Math.ceil(retryAfterMs / 60_000) });
  return problemWords(problem, say);
}
