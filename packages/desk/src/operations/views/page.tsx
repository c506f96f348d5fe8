import { useEffect, useId, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useTitle } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import type { Condition, Retried } from '../api/operations.ts';
import { useOperations } from '../operations-context.ts';
import { type Fact, type Facts, factsOf } from '../state/facts.ts';

/** The pause between two reads, in ms. */
const READ_MS = 30_000;

/** The page of owners that says how the site runs. */
export function OperationsPage() {
  const { announce, api, connection, texts } = useOperations();
  const { say } = texts;
  const [condition, setCondition] = useState<Condition>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [refused, setRefused] = useState<string>();
  useTitle(say('operations'));
  const load = async () => {
    try {
      setCondition(await api.read());
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.hidden || void load(), READ_MS);
    return () => clearInterval(timer);
  }, [connection.returns.value]);
  const retry = async (what: Retried) => {
    setRefused(undefined);
    try {
      await api.retry(what);
      announce(say('retrying'));
    } catch (error) {
      setRefused(problemWords(asProblem(error), say));
    }
    await load();
  };
  return (
    <div class="page operations">
      <Header>
        <span class="space" />
      </Header>
      {/* Without a button in it, the keyboard could not scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <main class="main column operations-page" tabIndex={0}>
        <h1>{say('operations')}</h1>
        <p class="hint">{say('hint')}</p>
        <p class="form-problem" role="alert">
          {refused}
        </p>
        {problem !== undefined ? (
          <ProblemView problem={problem} onRetry={() => void load()} />
        ) : condition === undefined ? (
          <Loading />
        ) : (
          <Subjects subjects={factsOf(condition, texts)} onRetry={retry} />
        )}
      </main>
    </div>
  );
}

interface SubjectsProps {
  subjects: readonly Facts[];
  onRetry: (what: Retried) => Promise<void>;
}

function Subjects({ subjects, onRetry }: SubjectsProps) {
  const { say } = useOperations().texts;
  const count = subjects.flatMap(({ facts }) => facts.filter(({ isBad }) => isBad)).length;
  return (
    <>
      <p class={count === 0 ? 'notice operations-sum' : 'notice operations-sum bad'} role="status">
        <Icon name={count === 0 ? 'done' : 'alert'} />
        {count === 0 ? say('allWell') : say('attention', { count })}
      </p>
      {subjects.map((subject) => (
        <Subject key={subject.title} {...subject} onRetry={onRetry} />
      ))}
    </>
  );
}

function Subject({ title, facts, onRetry }: Facts & Pick<SubjectsProps, 'onRetry'>) {
  const { say } = useOperations().texts;
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{say(title)}</h2>
      <ul class="operations-facts">
        {facts.map((fact, index) => (
          <Line key={`${fact.words} ${index}`} fact={fact} onRetry={onRetry} />
        ))}
      </ul>
    </section>
  );
}

function Line({ fact, onRetry }: { fact: Fact } & Pick<SubjectsProps, 'onRetry'>) {
  const { texts } = useOperations();
  const { say } = texts;
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const { words, isBad = false, todo, at, retry } = fact;
  return (
    <li class={isBad ? 'operations-fact bad' : 'operations-fact'}>
      <Icon name={isBad ? 'alert' : 'check'} />
      <span class="unseen">{say(isBad ? 'isBad' : 'isGood')}</span>
      <span class="operations-words">
        <bdi id={id}>{words}</bdi>
        {todo !== undefined && <span class="operations-todo">{todo}</span>}
      </span>
      {at != null && (
        <time class="operations-time" dateTime={at} title={texts.date(Date.parse(at), 'long')}>
          {texts.ago(at)}
        </time>
      )}
      {retry !== undefined && (
        <Button
          icon="retry"
          aria-describedby={id}
          disabled={isBusy}
          onClick={() => {
            setBusy(true);
            void onRetry(retry).finally(() => setBusy(false));
          }}
        >
          {say('tryAgain')}
        </Button>
      )}
    </li>
  );
}
