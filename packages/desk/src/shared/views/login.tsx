import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import { Icon } from './icon.tsx';

/** Asks for name and password; whoever waits for the session goes on afterwards. */
export function LoginForm() {
  const { me, service, session, texts } = useDesk();
  const { say } = texts;
  const [problem, setProblem] = useState<ApiProblem>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    try {
      await service.logIn(String(form.get('username')), String(form.get('password')));
      const before = me.profile.peek();
      if (before !== undefined) await me.load();
      // Another person must not see what this one had open.
      if (before !== undefined && before.id !== me.profile.peek()?.id) return location.reload();
      session.begin();
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
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
      <p class="form-problem" role="alert">
        {problem !== undefined && words(problem, say)}
      </p>
      <button type="submit" class="button primary wide" disabled={busy}>
        <span>{say('logIn')}</span>
      </button>
    </form>
  );
}

function words(
  { status, message, retryAfterMs }: ApiProblem,
  say: ReturnType<typeof useDesk>['texts']['say'],
) {
  if (status === 0) return say('unreachable');
  if (status === 401) return say('wrongLogin');
  if (status === 429) return say('tooManyLogins', { minutes: Math.ceil((retryAfterMs ?? 60_000) / 60_000) });
  return message;
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
