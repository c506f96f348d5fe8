import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useDesk } from '../../shared/desk.ts';
import { Icon } from '../../shared/views/icon.tsx';
import { newPasswordWords } from '../../shared/views/new-password-words.ts';
import { PasswordField } from '../../shared/views/password-field.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import type { Texts } from '../text/texts.ts';

/** Whom an invitation is for. */
interface Invited {
  readonly name: string;
  readonly email: string;
}

interface InvitationPageProps {
  /** Empty if the link is not whole. */
  token: string;
  texts: Texts;
  read: () => Promise<Invited>;
  accept: (password: string) => Promise<void>;
}

/** Says whom an invitation is for, and asks for the password that is to be theirs. */
export function InvitationPage({ token, texts, read, accept }: InvitationPageProps) {
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
    return <Choosing invited={invited} texts={texts} accept={accept} onOver={setProblem} />;
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
        <a class="button plain wide" href={address.href('media')}>
          {texts.say('toTheDesk')}
        </a>
      </div>
    </main>
  );
}

interface ChoosingProps {
  invited: Invited;
  texts: Texts;
  accept: (password: string) => Promise<void>;
  /** The invitation has ended meanwhile. */
  onOver: (problem: ApiProblem) => void;
}

function Choosing({ invited: { name, email }, texts, accept, onOver }: ChoosingProps) {
  const { say } = texts;
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await accept(password);
    } catch (error) {
      const found = asProblem(error);
      if (found.code === 'invitation_not_found') return onOver(found);
      setProblem(newPasswordWords(found, say));
      setBusy(false);
    }
  };
  return (
    <main class="login">
      <div class="login-card invitation">
        <h1 class="login-title">{say('welcome', { name })}</h1>
        <form class="form" onSubmit={submit}>
          <p>{say('chooseHint', { email })}</p>
          {/* Programs that keep passwords learn whose it is. */}
          <input hidden readOnly name="username" autocomplete="username" value={email} />
          <PasswordField
            label={say('password')}
            show={say('show')}
            value={password}
            onValue={setPassword}
            autocomplete="new-password"
            hint={say('passwordHint')}
          />
          <p class="form-problem" role="alert">
            {problem}
          </p>
          <button type="submit" class="button primary wide" disabled={isBusy}>
            <span>{say('accept')}</span>
          </button>
        </form>
      </div>
    </main>
  );
}
