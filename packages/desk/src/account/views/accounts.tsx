import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { LinkedAccount, Provider } from '../../shared/api/service.ts';
import { Button } from '../../shared/views/button.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { signOnWords } from '../../shared/views/sign-on.tsx';
import { useAccount } from '../account-context.ts';
import type { Say } from '../text/texts.ts';

/** The accounts of providers by which one logs in, with the ways to link and unlink them. */
export function LinkedAccounts({ providers }: { providers: readonly Provider[] }) {
  const { api, connection, service, signOn, texts } = useAccount();
  const { say } = texts;
  const [accounts, setAccounts] = useState<readonly LinkedAccount[]>([]);
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async (work?: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work?.();
      setAccounts((await service.factors()).accounts);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => void load(), [api, connection.returns.value]);
  const told = signOn.value;
  if (providers.length === 0 && accounts.length === 0 && told === undefined) return null;
  const unlinked = providers.filter(({ id }) => accounts.every(({ provider }) => provider !== id));
  const isGood = told === 'linked' || told === 'confirmed';
  return (
    <section class="account-sessions">
      <h2>{say('linkedAccounts')}</h2>
      {accounts.length > 0 && (
        <ul>
          {accounts.map(({ id, issuer, name }) => (
            <li key={id}>
              <div class="account-session-words">
                <strong>{name ?? issuer}</strong>
                <span class="hint">{issuer}</span>
              </div>
              <Button
                aria-label={say('unlinkOne', { name: name ?? issuer })}
                onClick={() => void load(() => api.unlink(id))}
              >
                {say('unlink')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p class="form-problem" role="alert">
        {problem !== undefined && accountWords(problem, say)}
        {problem === undefined && told !== undefined && !isGood && signOnWords(told, say)}
      </p>
      <p class="form-good" role="status">
        {isGood && signOnWords(told, say)}
      </p>
      {unlinked.map(({ id, name }) => (
        <Button key={id} onClick={() => void load(async () => location.assign(await api.link(id)))}>
          {say('linkWith', { name })}
        </Button>
      ))}
    </section>
  );
}

function accountWords(problem: ApiProblem, say: Say): string {
  if (problem.code === 'last_way_in') return say('lastWayIn');
  return problem.code === 'provider_unavailable' ? say('signOnAway') : problemWords(problem, say);
}
