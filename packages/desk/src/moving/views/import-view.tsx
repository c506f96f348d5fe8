import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { type Import, OUTCOMES } from '../api/imports.ts';
import { useMoving } from '../moving-context.ts';
import { EntryTable } from './entry-table.tsx';
import { OptionsForm } from './options-form.tsx';
import { sentenceOf } from './words.ts';

/** The pause between two looks at work that is under way, in ms. */
const LOOK_MS = 1000;

const AT_WORK: readonly Import['state'][] = ['checking', 'running', 'undoing'];

/** One import: how far it is, what comes of it, and what can be done next. */
export function ImportView({ id }: { id: number }) {
  const { address, api, connection, texts } = useMoving();
  const { say } = texts;
  const [found, setFound] = useState<Import>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [refused, setRefused] = useState<string>();
  const [isUndoing, setUndoing] = useState(false);
  const load = async () => {
    try {
      setFound(await api.read(id));
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => void load(), [id, connection.returns.value]);
  // The view may be out of date: a failed look is followed by another.
  const isDue = found !== undefined && (problem !== undefined || AT_WORK.includes(found.state));
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => void load(), LOOK_MS);
    return () => clearTimeout(timer);
  }, [isDue, found, problem]);
  const act = async (work: Promise<void>) => {
    setRefused(undefined);
    await work.catch((error: unknown) => setRefused(problemWords(asProblem(error), say)));
    await load();
  };
  if (found === undefined)
    return problem === undefined ? (
      <Loading />
    ) : (
      <ProblemView problem={problem} onRetry={() => void load()} />
    );
  const { state, failure, counts, undone, name, format, received, size } = found;
  const isAtWork = AT_WORK.includes(state);
  const failedAt = state === 'failed' ? failure?.at : undefined;
  const isWhole = received === size && found.has_file;
  const mayCheck = isWhole && (['uploading', 'checked', 'undone'].includes(state) || failedAt === 'checking');
  const coming = counts.created + counts.adapted;
  return (
    <>
      <p>
        <Link to="moving">{say('back')}</Link>
      </p>
      <h2>{texts.name(name)}</h2>
      <p role="status">
        <b>{say(`state_${state}`)}</b>
      </p>
      {isAtWork && state !== 'undoing' && <Progress found={found} />}
      {failure !== null && failedAt !== undefined && (
        <p class="notice" role="alert">
          {say(`failed_${failedAt}`)} {sentenceOf(failure, say)}
        </p>
      )}
      {state === 'undone' && (
        <p class="form-good">
          {say('undone', { count: undone.removed })}
          {undone.changed > 0 && ` ${say('leftChanged', { count: undone.changed })}`}
          {undone.gone > 0 && ` ${say('leftGone', { count: undone.gone })}`}
        </p>
      )}
      {state === 'uploading' && !isWhole && <p class="notice">{say('notWhole')}</p>}
      <p class="form-problem" role="alert">
        {refused}
      </p>
      {['checked', 'done'].includes(state) && <Sum found={found} />}
      {counts.pictures > 0 && ['checked', 'running', 'done'].includes(state) && (
        <p class="hint">
          {say(state === 'checked' ? 'picturesFound' : 'picturesCame', { count: counts.pictures })}
        </p>
      )}
      {state === 'checked' && coming > 0 && format !== 'jsonl' && found.options?.pictures == null && (
        <p class="hint">{say('picturesNotAsked')}</p>
      )}
      <div class="buttons moving-acts">
        {state === 'checked' && coming > 0 && (
          <Button kind="primary" onClick={() => void act(api.run(id))}>
            {say('run', { count: coming })}
          </Button>
        )}
        {failedAt !== undefined && failedAt !== 'checking' && (
          <Button
            kind="primary"
            onClick={() => void act(failedAt === 'running' ? api.run(id) : api.undo(id))}
          >
            {say('goOn')}
          </Button>
        )}
        {(state === 'done' || failedAt === 'running') && (
          <Button onClick={() => setUndoing(true)}>{say('undo')}</Button>
        )}
        {!isAtWork && state !== 'done' && (
          <Button
            onClick={() =>
              void api.remove(id).then(
                () => address.go('moving'),
                (error: unknown) => setRefused(problemWords(asProblem(error), say)),
              )
            }
          >
            {say('removeImport')}
          </Button>
        )}
      </div>
      {mayCheck && (
        <OptionsForm
          format={format}
          before={found.options}
          label={say(state === 'uploading' ? 'check' : 'checkAgain')}
          onCheck={(options) => void act(api.check(id, options))}
        />
      )}
      {(state === 'checked' || state === 'done' || failedAt === 'running') && (
        <EntryTable key={`${state} ${found.changed_at}`} found={found} />
      )}
      {isUndoing && (
        <SubmitDialog
          say={say}
          title={say('undoTitle')}
          look="small"
          button={say('undo')}
          isDangerous
          onSubmit={async () => {
            await api.undo(id);
            setUndoing(false);
            await load();
            return undefined;
          }}
          reasonOf={(why) => problemWords(why, say)}
          onClose={() => setUndoing(false)}
        >
          <p class="hint">{say('undoHint')}</p>
        </SubmitDialog>
      )}
    </>
  );
}

/** What the entries of the file are, and why pictures did not come along. */
function Sum({ found: { state, counts, progress, left_out } }: { found: Import }) {
  const { texts } = useMoving();
  const { say } = texts;
  const number = (count: number) => count.toLocaleString(texts.language.value);
  const articles = OUTCOMES.reduce((sum, one) => sum + counts[one], 0);
  const others = [...Map.groupBy(left_out, (reason) => sentenceOf(reason, say))];
  return (
    <>
      {state === 'done' && <p>{say('articlesCame', { count: counts.created + counts.adapted })}</p>}
      {counts.pictures_failed > 0 && (
        <div class="notice moving-failed">
          <p>
            {texts.sentences(
              say('picturesFailed', { count: counts.pictures_failed }),
              say('picturesFailedDo'),
            )}
          </p>
        </div>
      )}
      <section aria-labelledby="moving-sum">
        <h3 id="moving-sum">{say('inFile', { count: progress.total ?? articles })}</h3>
        <ul>
          <li>{say('articlesOf', { count: articles })}</li>
          {counts.terms > 0 && <li>{say('termsOf', { count: counts.terms })}</li>}
          {others.map(([sentence, same]) => (
            <li key={sentence}>
              {sentence} ({number(same.reduce((sum, { count }) => sum + count, 0))})
            </li>
          ))}
        </ul>
        {others.length > 0 && <p class="hint">{say('leftOut')}</p>}
      </section>
    </>
  );
}

function Progress({ found: { state, progress } }: { found: Import }) {
  const { say } = useMoving().texts;
  const { done, total } = progress;
  const label = say(`state_${state}`);
  if (total === null) return <progress aria-label={label} />;
  return (
    <div class="moving-progress">
      <progress aria-label={label} value={done} max={Math.max(total, 1)} />
      <span class="hint">{say('progress', { done, total })}</span>
    </div>
  );
}
