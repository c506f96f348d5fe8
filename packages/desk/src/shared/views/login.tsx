import { useEffect, useState } from 'preact/hooks';
import { hasPasskeys } from '../api/passkeys.ts';
import { type ApiProblem, asProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Modal } from './modal.tsx';
import { problemWords } from './problem-view.tsx';
import { SignOn, signOnWords, useWays } from './sign-on.tsx';

/**
 * Asks for name and password, or offers the other ways; whoever waits for the session goes on afterwards.
 *
 * @param isKept whether something is open in this window
 */
function LoginForm({ isKept = false }: { isKept?: boolean }) {
  const { me, service, session, signOn, texts } = useDesk();
  const { say } = texts;
  const ways = useWays();
  const [problem, setProblem] = useState<ApiProblem>();
  const [busy, setBusy] = useState(false);
  const [asksCode, setAsksCode] = useState(false);
  const goOn = async () => {
    // Another person must not see what this one had open: the page is loaded anew for them.
    if (me.profile.peek() !== undefined) await me.load();
    session.begin();
  };
  const attempt = async (login: () => Promise<void>) => {
    setBusy(true);
    try {
      await login();
      await goOn();
    } catch (error) {
      const found = asProblem(error);
      const needsCode = found.code === 'second_factor_required';
      if (needsCode) setAsksCode(true);
      setProblem(needsCode ? undefined : found);
    }
    signOn.value = undefined;
    setBusy(false);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const [username, password, code] = ['username', 'password', 'code'].map((name) => form.get(name));
    void attempt(() =>
      service.logIn(String(username), String(password), code === null ? undefined : String(code)),
    );
  };
  const isElsewhere = isKept && ways.providers.length > 0;
  useEffect(() => {
    if (!isElsewhere) return;
    // Whoever has signed in in another window comes back to this one.
    const look = () => {
      const looking = service.isLoggedIn().then((isLoggedIn) => (isLoggedIn ? goOn() : undefined));
      looking.catch(() => undefined);
    };
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [isElsewhere]);
  const told = signOn.value;
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span>{say('username')}</span>
        <input name="username" autocomplete="username" autocapitalize="none" required autofocus />
      </label>
      <label class="field">
        <span>{say('password')}</span>
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      {asksCode && (
        <div class="field">
          <label for="login-code">{say('code')}</label>
          <input
            id="login-code"
            name="code"
            autocomplete="one-time-code"
            autocapitalize="none"
            spellcheck={false}
            required
            autofocus
            aria-describedby="login-code-hint"
          />
          <p class="hint" id="login-code-hint">
            {say('codeHint')}
          </p>
        </div>
      )}
      <p class="form-problem" role="alert">
        {problem !== undefined ? words(problem, say) : told !== undefined && signOnWords(told, say)}
      </p>
      <button type="submit" class="button primary wide" disabled={busy}>
        <span>{say('logIn')}</span>
      </button>
      {hasPasskeys() && (
        <button
          type="button"
          class="button plain wide"
          disabled={busy}
          onClick={() => void attempt(() => service.logInByPasskey())}
        >
          <span>{say('usePasskey')}</span>
        </button>
      )}
      <SignOn ways={ways} isKept={isKept} onProxy={() => void attempt(() => service.logInByProxy())} />
    </form>
  );
}

function words(problem: ApiProblem, say: ReturnType<typeof useDesk>['texts']['say']) {
  const { status, code, message, retryAfterMs } = problem;
  if (status === 0) return say('unreachable');
  if (code === 'unknown_person') return say('signOnUnknown');
  if (status === 429) return say('tooManyLogins', { minutes: Math.ceil((retryAfterMs ?? 60_000) / 60_000) });
  if (status !== 401) return problemWords(problem, say);
  if (code === 'second_factor_wrong') return say('wrongCode');
  return say(/passkey is not known/.test(message) ? 'passkeyUnknown' : 'wrongLogin');
}

/** The whole page without a login. */
export function LoginScreen() {
  const { say } = useDesk().texts;
  return (
    <main class="login">
      <div class="login-card">
        <h1 class="login-title">
          <span class="brand-mark">
            <Icon name="desk" size={22} />
          </span>
          {say('desk')}
        </h1>
        <LoginForm />
      </div>
    </main>
  );
}

/** Asks for a login over what is shown, which can be put off. */
export function LoginAgain() {
  const { say } = useDesk().texts;
  const [isPutOff, setPutOff] = useState(false);
  if (isPutOff) {
    return (
      <p class="notice session-ended" role="alert">
        {say('sessionEnded')}
        <Button onClick={() => setPutOff(false)}>{say('logInAgain')}</Button>
      </p>
    );
  }
  return (
    <Modal isUnasked title={say('logInAgain')} onClose={() => setPutOff(true)} look="small">
      <p class="hint">{say('sessionEnded')}</p>
      <LoginForm isKept />
    </Modal>
  );
}
