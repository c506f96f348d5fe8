import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { Provider } from '../../shared/api/service.ts';
import { deviceOf } from '../../shared/state/device.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { useAccount } from '../account-context.ts';
import type { LoggedIn } from '../api/account.ts';
import type { Say } from '../text/texts.ts';

/** One's sessions, each with a button to end it. */
export function Sessions({ providers }: { providers: readonly Provider[] }) {
  const { api, connection, texts } = useAccount();
  const { say } = texts;
  const [sessions, setSessions] = useState<readonly LoggedIn[]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async (work?: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work?.();
      setSessions(await api.sessions());
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => void load(), [api, connection.returns.value]);
  if (sessions === undefined) {
    return problem === undefined ? (
      <Loading />
    ) : (
      <ProblemView problem={problem} onRetry={() => void load()} />
    );
  }
  return (
    <section class="account-sessions">
      <h2>{say('whereLoggedIn')}</h2>
      <ul>
        {sessions.map((session) => {
          const { id, current, address, lastUsedAt, way } = session;
          const by = way === null ? [] : [wayWords(way, providers, say)];
          const device = deviceWords(session, say);
          const used = say('lastUse', { date: texts.date(Date.parse(lastUsedAt)) });
          return (
            <li key={id}>
              <div class="account-session-words">
                <strong>{device}</strong>
                <span class="hint">{[...by, ...(address === null ? [] : [address]), used].join(' · ')}</span>
              </div>
              {current ? (
                <span class="badge on">{say('thisOne')}</span>
              ) : (
                <Button aria-label={say('endOne', { device })} onClick={() => void load(() => api.end(id))}>
                  {say('end')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <p class="form-problem" role="alert">
        {problem !== undefined && problemWords(problem, say)}
      </p>
      {sessions.length > 1 && (
        <Button onClick={() => void load(() => api.endOthers())}>{say('endOthers')}</Button>
      )}
    </section>
  );
}

function wayWords(way: string, providers: readonly Provider[], say: Say): string {
  if (way === 'proxy') return say('byProxy');
  return say('byWay', { way: providers.find(({ id }) => id === way)?.name ?? way });
}

function deviceWords({ device }: LoggedIn, say: Say): string {
  const { browser, system } = deviceOf(device ?? '');
  if (browser !== undefined && system !== undefined) return say('deviceOn', { browser, system });
  return browser ?? system ?? say('unknownDevice');
}
