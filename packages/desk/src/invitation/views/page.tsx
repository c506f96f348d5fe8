import { useEffect, useState } from 'preact/hooks';
import { hasPasskeys } from '../../shared/api/passkeys.ts';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useDesk } from '../../shared/desk.ts';
import { deviceOf } from '../../shared/state/device.ts';
import { Icon } from '../../shared/views/icon.tsx';
import { newPasswordWords } from '../../shared/views/new-password-words.ts';
import { PasswordField } from '../../shared/views/password-field.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { useWays } from '../../shared/views/sign-on.tsx';
import type { Texts } from '../text/texts.ts';

/** Whom an invitation is for. */
interface Invited {
  readonly name: string;
  readonly email: string;
  /** True if a password may be chosen. */
  readonly passwords: boolean;
}

interface InvitationPageProps {
  /** Empty if the link is not whole. */
  token: string;
  texts: Texts;
  read: () => Promise<Invited>;
  accept: (password: string) => Promise<void>;
  acceptByPasskey: (name: string) => Promise<void>;
  /** Goes to a provider, by which the person logs in from then on. */
  acceptBy: (provider: string) => Promise<void>;
}

/** Says whom an invitation is for, and asks for the password or passkey that is to be theirs. */
export function InvitationPage({ token, texts, read, ...accepting }: InvitationPageProps) {
  const { connection } = useDesk();
  const { say } = texts;
  const [invited, setInvited] = useState<Invited>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = () => {
    setProblem(undefined);
    if (token !== '') read().then(setInvited, (error: unknown) => setProblem(asProblem(error)));
  };
  useEffect(load, [connection.returns.value]);
  if (token === '') return <Over texts={texts} words={say('invitationUnknown')} />;
  if (problem !== undefined && isOver(problem)) return <Over texts={texts} words={say('invitationOver')} />;
  if (invited !== undefined) {
    return <Choosing invited={invited} texts={texts} {...accepting} onOver={setProblem} />;
  }
  return problem && <ProblemView problem={problem} onRetry={load} />;
}

function isOver({ code, status }: ApiProblem): boolean {
  return code === 'invitation_not_found' || status === 400;
}

function Over({ texts, words }: { texts: Texts; words: string }) {
  const { address } = useDesk();
  return (
    <main class="login">
      <div class="login-card invitation">
        <h1 class="login-title">
          <span class="brand-mark">
            <Icon name="desk" size={22} />
          </span>
          {texts.say('desk')}
        </h1>
        <p role="alert">{words}</p>
        <a class="button plain wide" href={address.href('home')}>
          {texts.say('toTheDesk')}
        </a>
      </div>
    </main>
  );
}

interface ChoosingProps extends Omit<InvitationPageProps, 'token' | 'read'> {
  invited: Invited;
  /** The invitation has ended meanwhile. */
  onOver: (problem: ApiProblem) => void;
}

function Choosing({ invited, texts, accept, acceptBy, acceptByPasskey, onOver }: ChoosingProps) {
  const { name, email, passwords } = invited;
  const { providers } = useWays();
  const { say } = texts;
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { browser, system } = deviceOf(navigator.userAgent);
  const device = [browser, system].filter((part) => part !== undefined).join(', ') || '1';
  const attempt = async (choose: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await choose();
    } catch (error) {
      const found = asProblem(error);
      if (found.code === 'invitation_not_found') return onOver(found);
      setProblem(newPasswordWords(found, say));
      setBusy(false);
    }
  };
  const withoutPassword = providers.length > 0 ? 'noPassword' : 'passkeyOnly';
  return (
    <main class="login">
      <div class="login-card invitation">
        <h1 class="login-title">{say('welcome', { name })}</h1>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(() => accept(password));
          }}
        >
          <p>{say(passwords ? 'chooseHint' : withoutPassword, { email })}</p>
          {/* Programs that keep passwords learn whose it is. */}
          <input hidden readOnly name="username" autocomplete="username" value={email} />
          {passwords && (
            <PasswordField
              label={say('password')}
              show={say('show')}
              value={password}
              onValue={setPassword}
              autocomplete="new-password"
              hint={say('passwordHint')}
            />
          )}
          <p class="form-problem" role="alert">
            {problem}
          </p>
          {passwords && (
            <button type="submit" class="button primary wide" disabled={isBusy}>
              <span>{say('accept')}</span>
            </button>
          )}
          {hasPasskeys() && (
            <button
              type="button"
              class={`button ${passwords ? 'plain' : 'primary'} wide`}
              disabled={isBusy}
              onClick={() => void attempt(() => acceptByPasskey(device))}
            >
              <span>{say(passwords ? 'passkeyInstead' : 'usePasskey')}</span>
            </button>
          )}
          {providers.map(({ id, name }) => (
            <button
              key={id}
              type="button"
              class="button plain wide"
              disabled={isBusy}
              onClick={() => void attempt(() => acceptBy(id))}
            >
              <span>{say(passwords ? 'signInInstead' : 'signInWith', { name })}</span>
            </button>
          ))}
        </form>
      </div>
    </main>
  );
}
