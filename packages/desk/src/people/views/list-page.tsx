import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { usePeople } from '../people-context.ts';
import type { Say } from '../text/texts.ts';
import { Page } from './pages.tsx';

/** A list, and work on it, after which it is read again. */
export function useListed<One>(
  read: () => Promise<readonly One[]>,
  wordsOf: (problem: ApiProblem, say: Say) => string,
) {
  const { connection, texts } = usePeople();
  const [listed, setListed] = useState<readonly One[]>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [refused, setRefused] = useState<string>();
  const load = async () => {
    setProblem(undefined);
    try {
      setListed(await read());
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => void load(), [connection.returns.value]);
  const attempt = async (work: () => Promise<void>) => {
    setRefused(undefined);
    try {
      await work();
    } catch (error) {
      setRefused(wordsOf(asProblem(error), texts.say));
    }
    await load();
  };
  return { listed, problem, refused, load, attempt };
}

interface ListPageProps {
  name: 'people' | 'keys' | 'hooks';
  list: ReturnType<typeof useListed<unknown>>;
  onNew: () => void;
  children: ComponentChildren;
}

/** The page around a table of the section. */
export function ListPage({ name, list, onNew, children }: ListPageProps) {
  const { me, texts } = usePeople();
  const { say } = texts;
  const { listed, problem, refused, load } = list;
  return (
    <Page
      title={say(name)}
      hint={say(`hint_${name}`)}
      action={
        me.may('administer') && (
          <Button kind="primary" icon="add" aria-label={say(`new_${name}`)} onClick={onNew}>
            {say(`new_${name}`)}
          </Button>
        )
      }
    >
      <p class="form-problem" role="alert">
        {refused}
      </p>
      {problem !== undefined ? (
        <ProblemView problem={problem} onRetry={() => void load()} />
      ) : listed === undefined ? (
        <Loading />
      ) : (
        <>
          {(listed.length > 0 || name === 'people') && children}
          {listed.length === 0 && (
            <div class="empty">
              <Icon name={name === 'people' ? 'people' : 'link'} size={32} />
              <p class="empty-title">{say(`none_${name}`)}</p>
            </div>
          )}
        </>
      )}
    </Page>
  );
}

interface SureProps {
  title: string;
  hint: string;
  button: string;
  onClose: () => void;
  onSure: () => void;
}

/** Asks before something goes for good. */
export function Sure({ title, hint, button, onClose, onSure }: SureProps) {
  const { say } = usePeople().texts;
  return (
    <Modal title={title} onClose={onClose} look="small">
      <p class="hint">{hint}</p>
      <div class="modal-buttons">
        <Button onClick={onClose} autofocus>
          {say('cancel')}
        </Button>
        <Button kind="danger" onClick={onSure}>
          {button}
        </Button>
      </div>
    </Modal>
  );
}
