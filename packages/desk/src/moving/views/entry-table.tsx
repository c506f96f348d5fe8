import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Link } from '../../shared/views/link.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { type Entry, type Import, OUTCOMES, type Outcome } from '../api/imports.ts';
import { useMoving } from '../moving-context.ts';
import { placeOf, sentenceOf } from './words.ts';

interface Found {
  readonly entries: readonly Entry[];
  readonly next: number | null;
}

/** Each article of a file and its outcome, expected or actual. */
export function EntryTable({ found: { id, counts } }: { found: Import }) {
  const { api, texts } = useMoving();
  const { say } = texts;
  const [outcome, setOutcome] = useState<Outcome>();
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async (before?: Found) => {
    setProblem(undefined);
    try {
      const { entries, next } = await api.entries(id, outcome, before?.next ?? 0);
      setFound({ entries: [...(before?.entries ?? []), ...entries], next });
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => void load(), [id, outcome]);
  const number = (count: number) => count.toLocaleString(texts.language.value);
  return (
    <>
      <fieldset class="moving-outcomes">
        <legend class="unseen">{say('outcome')}</legend>
        <Button kind="quiet" aria-pressed={outcome === undefined} onClick={() => setOutcome(undefined)}>
          {say('all')}
        </Button>
        {OUTCOMES.map((one) => (
          <Button key={one} kind="quiet" aria-pressed={outcome === one} onClick={() => setOutcome(one)}>
            {say(one)} ({number(counts[one])})
          </Button>
        ))}
      </fieldset>
      {problem !== undefined && <ProblemView problem={problem} onRetry={() => void load()} />}
      {found?.entries.length === 0 && <p class="hint">{say('nothing')}</p>}
      {found !== undefined && found.entries.length > 0 && (
        <table class="moving-table">
          <thead>
            <tr>
              <th scope="col">{say('title')}</th>
              <th scope="col">{say('outcome')}</th>
              <th scope="col">{say('reasons')}</th>
            </tr>
          </thead>
          <tbody>
            {found.entries.map((entry) => (
              <EntryRow key={entry.number} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      {found?.next != null && (
        <div>
          <Button onClick={() => void load(found)}>{say('more')}</Button>
        </div>
      )}
    </>
  );
}

function EntryRow({ entry: { article_id, outcome, place, reasons, title } }: { entry: Entry }) {
  const { texts } = useMoving();
  const { say } = texts;
  const name = title === null ? placeOf(place, say) : texts.name(title);
  return (
    <tr>
      <th scope="row">
        {article_id === null ? <bdi>{name}</bdi> : <Link to={`articles/${article_id}`}>{name}</Link>}
        {title !== null && <span class="hint">{placeOf(place, say)}</span>}
      </th>
      <td>{say(outcome)}</td>
      <td>
        {reasons.map((reason) => (
          <p key={`${reason.code} ${reason.about}`}>{sentenceOf(reason, say)}</p>
        ))}
      </td>
    </tr>
  );
}
