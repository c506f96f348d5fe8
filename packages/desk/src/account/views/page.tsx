import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useTitle } from '../../shared/desk.ts';
import type { Profile } from '../../shared/state/me.ts';
import { LANGUAGES, type Language } from '../../shared/text/voice.ts';
import { Header } from '../../shared/views/header.tsx';
import { newPasswordWords } from '../../shared/views/new-password-words.ts';
import { PasswordField } from '../../shared/views/password-field.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { useWays } from '../../shared/views/sign-on.tsx';
import { useAccount } from '../account-context.ts';
import type { Say } from '../text/texts.ts';
import { LinkedAccounts } from './accounts.tsx';
import { FactorsSection } from './factors.tsx';
import { Sessions } from './sessions.tsx';

/** One's own account: who one is, the password, and where one is logged in. */
export function AccountPage() {
  const { me, texts } = useAccount();
  const { say } = texts;
  const profile = me.profile.value;
  const { passwords, providers } = useWays();
  useTitle(say('account'));
  return (
    <div class="page account">
      <Header>
        <span class="space" />
      </Header>
      <main class="main column account-main">
        <h1>{say('account')}</h1>
        {profile?.id === null && <p>{say('ofServer')}</p>}
        {profile !== undefined && profile.id !== null && (
          <>
            <ProfileForm profile={profile} />
            <FactorsSection />
            {passwords && <PasswordForm email={profile.email ?? ''} />}
            <LinkedAccounts providers={providers} />
          </>
        )}
        <Sessions providers={providers} />
      </main>
    </div>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const { api, me, preferences, texts, voice } = useAccount();
  const { say } = texts;
  const [name, setName] = useState(profile.name);
  const [language, setLanguage] = useState<string>(profile.language ?? '');
  const [timeZone, setTimeZone] = useState(profile.timeZone ?? '');
  const [problem, setProblem] = useState<ApiProblem>();
  const [isSaved, setSaved] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSaved(false);
    setProblem(undefined);
    const chosen = language === '' ? null : (language as Language);
    try {
      me.learn(await api.change({ name: name.trim(), language: chosen, timeZone: timeZone.trim() || null }));
      setSaved(true);
    } catch (error) {
      return setProblem(asProblem(error));
    }
    if (chosen === null) return;
    preferences.keepLanguage(chosen);
    await voice.speak(chosen).catch(() => undefined);
  };
  return (
    <form class="form" aria-label={say('profile')} onSubmit={submit} onInput={() => setSaved(false)}>
      <h2>{say('profile')}</h2>
      <div class="field">
        <label for="account-name">{say('name')}</label>
        <input
          id="account-name"
          value={name}
          required
          autocomplete="name"
          aria-describedby="account-name-hint"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <p class="hint" id="account-name-hint">
          {say('nameHint')}
        </p>
      </div>
      <label class="field">
        <span>{say('language')}</span>
        <select value={language} onChange={({ currentTarget }) => setLanguage(currentTarget.value)}>
          <option value="">{say('noLanguage')}</option>
          {Object.entries(LANGUAGES).map(([value, label]) => (
            <option key={value} value={value} selected={value === language}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div class="field">
        <label for="account-zone">{say('timeZone')}</label>
        <input
          id="account-zone"
          value={timeZone}
          list="account-zones"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="account-zone-hint"
          onInput={({ currentTarget }) => setTimeZone(currentTarget.value)}
        />
        <datalist id="account-zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <p class="hint" id="account-zone-hint">
          {say('timeZoneHint')}
        </p>
      </div>
      <Outcome problem={problem && profileWords(problem, say)} done={isSaved ? say('saved') : undefined} />
      <button type="submit" class="button primary">
        <span>{say('save')}</span>
      </button>
    </form>
  );
}

function profileWords(problem: ApiProblem, say: Say): string {
  const wrong = problem.fields[0]?.field;
  if (problem.code === 'name_taken') return say('nameTaken');
  if (wrong === 'timeZone') return say('timeZoneWrong');
  return wrong === 'name' ? say('nameWrong') : problemWords(problem, say);
}

function PasswordForm({ email }: { email: string }) {
  const { api, texts } = useAccount();
  const { say } = texts;
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<ApiProblem>();
  const [isDone, setDone] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setDone(false);
    setProblem(undefined);
    try {
      await api.changePassword(current, password);
      setDone(true);
      setCurrent('');
      setPassword('');
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <form class="form" aria-label={say('changePassword')} onSubmit={submit}>
      <h2>{say('changePassword')}</h2>
      <input hidden readOnly name="username" autocomplete="username" value={email} />
      <PasswordField
        label={say('currentPassword')}
        show={say('show')}
        value={current}
        onValue={setCurrent}
        autocomplete="current-password"
      />
      <PasswordField
        label={say('newPassword')}
        show={say('show')}
        value={password}
        onValue={setPassword}
        autocomplete="new-password"
        hint={say('passwordHint')}
      />
      <Outcome
        problem={problem && passwordWords(problem, say)}
        done={isDone ? say('passwordChanged') : undefined}
      />
      <button type="submit" class="button primary">
        <span>{say('changePassword')}</span>
      </button>
    </form>
  );
}

function passwordWords(problem: ApiProblem, say: Say): string {
  const { code, status, retryAfterMs = 60_000 } = problem;
  if (code === 'wrong_password') return say('wrongPassword');
  if (code === 'passwords_off') return say('passwordsOff');
  if (status === 429) return say('tooManyLogins', { minutes: Math.ceil(retryAfterMs / 60_000) });
  return newPasswordWords(problem, say);
}

/** Why something was not done, or that it was. */
function Outcome({ problem, done }: { problem: string | undefined; done: string | undefined }) {
  return (
    <>
      <p class="form-problem" role="alert">
        {problem}
      </p>
      <p class="form-good" role="status">
        {done}
      </p>
    </>
  );
}
