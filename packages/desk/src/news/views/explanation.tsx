import type { Explanation, Item, ScoreTerm } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import type { Say, TextName } from '../text/texts.ts';

/** The terms of a score that have a name of their own. */
const TERMS: Readonly<Record<string, TextName>> = {
  source: 'term_source',
  firstParty: 'term_firstParty',
  coverage: 'term_coverage',
  freshness: 'term_freshness',
  length: 'term_length',
  signals: 'term_signals',
  rules: 'term_rules',
  bounds: 'term_bounds',
  model: 'term_model',
};

/** The meaning of a term's points. */
const BASES: Readonly<Record<string, TextName>> = {
  source: 'basis_source',
  coverage: 'basis_coverage',
  freshness: 'basis_freshness',
  length: 'basis_length',
  model: 'basis_model',
};

function basisOf({ name, points, note = '', value }: ScoreTerm, say: Say): string {
  // Signals are named by words of the site itself.
  if (name === 'signals') return note;
  if (name === 'model' && value === undefined && points === 0) return say('modelUnused');
  const basis = BASES[name];
  return basis === undefined || value === undefined ? '' : say(basis, { count: value });
}

/** Why the rules or the model gave an item its score, as a bar for each term. */
export function ExplanationView({ item, explanation }: { item: Item; explanation: Explanation }) {
  const { texts } = useNews();
  const { say } = texts;
  const { terms, judgedAt, judgedScore, judgedSelected } = explanation;
  const isChanged = judgedScore !== item.score || judgedSelected !== item.selected;
  return (
    <section class="why">
      <h3 id="why">
        {say('why')}
        <span class="why-score">{item.score === null ? '–' : Number(item.score.toFixed(1))}</span>
      </h3>
      {terms === null || judgedAt === null ? (
        <p class="hint">{say('notJudged')}</p>
      ) : (
        <>
          <Terms terms={terms} />
          <p class="hint">
            {texts.sentences(
              say(judgedSelected ? 'judgedSelected' : 'judgedNotSelected', {
                time: texts.date(Date.parse(judgedAt)),
                score: judgedScore === null ? '–' : String(Number(judgedScore.toFixed(1))),
              }),
              isChanged && say('changedSince'),
            )}
          </p>
        </>
      )}
    </section>
  );
}

function Terms({ terms }: { terms: readonly ScoreTerm[] }) {
  const { say } = useNews().texts;
  const most = Math.max(1, ...terms.map(({ points }) => Math.abs(points)));
  return (
    <table class="terms" aria-labelledby="why">
      <tbody>
        {terms.map(({ name, points, note, value }) => (
          <tr key={name}>
            <th scope="row">{TERMS[name] === undefined ? name : say(TERMS[name])}</th>
            <td class="terms-bar">
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  class={points < 0 ? 'minus' : 'plus'}
                  width={(100 * Math.abs(points)) / most}
                  height="8"
                />
              </svg>
            </td>
            <td class="terms-points">
              {points > 0 ? '+' : ''}
              {points}
            </td>
            <td class="terms-note">{basisOf({ name, points, note, value }, say)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
