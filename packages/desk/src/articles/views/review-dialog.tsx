import { useId, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Review, ReviewStep } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import type { TextName } from '../text/texts.ts';

/** The longest comment, in characters. */
const LONGEST = 2000;

/** The steps, in the order of the buttons. */
const STEPS = [
  ['none', 'withdraw', 'quiet'],
  ['returned', 'sendBack', 'plain'],
  ['submitted', 'submitDraft', 'primary'],
  ['approved', 'approve', 'primary'],
] as const satisfies readonly (readonly [Review['state'], TextName, string])[];

interface ReviewDialogProps {
  open: OpenArticle;
  onClose: () => void;
  onPublish: () => void;
}

/** The steps of a draft's review, with the next ones. */
export function ReviewDialog({ open, onClose, onPublish }: ReviewDialogProps) {
  const { me, notices, texts } = useApp();
  const { say } = texts;
  const id = useId();
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState('');
  const review = open.review.value;
  if (review === undefined) return null;
  const { may, state, steps } = review;
  // Judges of a draft do not submit it once more.
  const offered = STEPS.filter(
    ([step]) =>
      may.includes(step) && !(step === 'submitted' && (state === 'submitted' || state === 'approved')),
  );
  const take = async (step: Review['state'], name: TextName) => {
    if (step === 'returned' && comment.trim() === '') return setProblem(say('sendBackHow'));
    const refused = await open.decide(step, comment.trim() === '' ? null : comment);
    if (refused === undefined) {
      setComment('');
      setProblem('');
      if (step === 'approved' && me.may('edit')) return;
      notices.done(say('stepTaken', { step: say(name) }));
      return onClose();
    }
    if (refused === 'unsaved') return setProblem(say('notSavedYet'));
    const isLate = refused.status === 412 || refused.status === 409;
    setProblem(isLate ? say('decidedMeanwhile') : problemWords(refused, say));
  };
  return (
    <FormModal say={say} title={say('review')} onClose={onClose}>
      <Steps steps={steps} />
      {offered.length > 0 && (
        <div class="field">
          <label for={id}>{say('comment')}</label>
          <textarea
            id={id}
            rows={4}
            maxLength={LONGEST}
            value={comment}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
        </div>
      )}
      <p class="form-problem" role="alert">
        {problem}
      </p>
      {state === 'approved' && me.may('edit') && <p role="status">{say('approvedOffer')}</p>}
      <div class="modal-buttons review-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
        {offered.map(([step, name, kind]) => (
          <Button key={step} kind={kind} onClick={() => void take(step, name)}>
            {say(name)}
          </Button>
        ))}
        {state === 'approved' && me.may('edit') && (
          <Button
            kind="primary"
            onClick={() => {
              onClose();
              onPublish();
            }}
          >
            {say('publish')}
          </Button>
        )}
      </div>
    </FormModal>
  );
}

const STEP_NAMES: Readonly<Record<ReviewStep['state'], TextName>> = {
  submitted: 'hasSubmitted',
  returned: 'hasReturned',
  approved: 'hasApproved',
};

function Steps({ steps }: { steps: readonly ReviewStep[] }) {
  const { texts } = useApp();
  const { say } = texts;
  if (steps.length === 0) return <p class="hint">{say('reviewHint')}</p>;
  return (
    <ol class="review-steps">
      {steps.map((step) => (
        <li key={step.at}>
          <StepWords step={step} />
        </li>
      ))}
    </ol>
  );
}

/** A decision, with its author, its time and its comment. */
export function StepWords({ step }: { step: ReviewStep }) {
  const { texts } = useApp();
  const { say } = texts;
  const { state, comment, at, key, is_change: isChange, ends_plan: endsPlan } = step;
  const who = texts.name(key?.name ?? say('somebody'));
  return (
    <>
      <strong>{say(isChange ? 'hasChanged' : STEP_NAMES[state], { who })}</strong>{' '}
      <span class="hint">{texts.date(Date.parse(at))}</span>
      {endsPlan && <p class="hint">{say('planEnded')}</p>}
      {comment !== null && (
        <p class="review-comment" dir="auto">
          {comment}
        </p>
      )}
    </>
  );
}
