import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import type { ApiProblem, FieldProblem } from '../../shared/api/problem.ts';
import { localTime, zonedTime } from '../../shared/state/local-time.ts';
import { Button } from '../../shared/views/button.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { TimeField } from '../../shared/views/time-field.tsx';
import { ZoneHint } from '../../shared/views/zone-hint.tsx';
import { useApp } from '../app-context.ts';
import type { FieldPlace } from '../state/checks.ts';
import { missingIn, SHORTEST } from '../state/fields.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { pageOf } from '../state/site-page.ts';
import { useVisit } from './visit.ts';

// Loaded with the article, in its panel.
const Checklist = lazy(() => import('./checklist.tsx').then(({ Checklist: View }) => ({ default: View })));

interface PublishDialogProps {
  open: OpenArticle;
  onClose: () => void;
  onPublish: () => void;
}

/** Asks when readers see an article, and shows what they get and what they would miss. */
export function PublishDialog({ open, onClose, onPublish }: PublishDialogProps) {
  const { texts } = useApp();
  const { say, zone } = texts;
  const schedule = open.article.value?.schedule;
  const [when, setWhen] = useState<When>(
    schedule?.release ? 'withRelease' : schedule?.publish_at ? 'atTime' : 'now',
  );
  const [time, setTime] = useState(localTime(schedule?.publish_at, zone.value));
  const [release, setRelease] = useState(schedule?.release ?? '');
  const [problem, setProblem] = useState<ApiProblem>();
  const missing = missingIn(open.fields.value);
  const visit = useVisit(onClose);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (when === 'now') {
      onClose();
      return onPublish();
    }
    const plan = when === 'atTime' ? { publish_at: zonedTime(time, zone.value) } : { release };
    const refused = await open.plan(plan);
    if (refused === undefined) return onClose();
    setProblem(refused);
  };
  const timeFault = problem?.fields.find(({ field }) => field === 'publish_at');
  return (
    <FormModal say={say} title={say('publishTitle')} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {missing.length > 0 ? (
          <div role="alert">
            <p>{say('stillMissing')}</p>
            <ul class="missing">
              {missing.map((name) => (
                <li key={name}>
                  <Button onClick={() => visit(name)}>{say(`missing_${name}`, { count: SHORTEST })}</Button>
                </li>
              ))}
            </ul>
          </div>
        ) : (
          <WhenField
            when={when}
            onWhen={(next) => {
              setWhen(next);
              if (next === 'atTime' && time === '') setTime(localTime(nextHour(), zone.value));
            }}
            time={time}
            onTime={setTime}
            timeFault={timeFault}
            release={release}
            onRelease={setRelease}
          />
        )}
        <Shown open={open} onVisit={visit} />
        <Suspense fallback={null}>
          <Checklist open={open} onVisit={visit} />
        </Suspense>
        <p class="form-problem" role="alert">
          {problem !== undefined && timeFault === undefined && problemWords(problem, say)}
        </p>
        <div class="modal-buttons">
          <Button onClick={onClose}>{say('cancel')}</Button>
          {missing.length === 0 && (
            <button type="submit" class="button primary">
              <span>{say(when === 'now' ? 'publishNow' : 'plan')}</span>
            </button>
          )}
        </div>
      </form>
    </FormModal>
  );
}

/** The full hour that is at least half an hour away, to begin from. */
function nextHour(): string {
  return new Date(Math.ceil((Date.now() + HALF_HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
}

const HOUR_MS = 3_600_000;
const HALF_HOUR_MS = 1_800_000;

type When = 'now' | 'atTime' | 'withRelease';

interface WhenFieldProps {
  when: When;
  onWhen: (when: When) => void;
  time: string;
  onTime: (time: string) => void;
  timeFault: FieldProblem | undefined;
  release: string;
  onRelease: (release: string) => void;
}

function WhenField({ when, onWhen, time, onTime, timeFault, release, onRelease }: WhenFieldProps) {
  const { api, texts } = useApp();
  const { say } = texts;
  const [releases, setReleases] = useState<readonly string[]>([]);
  useEffect(() => {
    api.releases().then(
      (found) => {
        setReleases(found);
        if (release === '' && found[0] !== undefined) onRelease(found[0]);
      },
      () => undefined,
    );
  }, [api]);
  const choices: When[] = ['now', 'atTime', ...(releases.length > 0 ? (['withRelease'] as const) : [])];
  return (
    <fieldset class="when">
      <legend>{say('scheduleTitle')}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="radio" name="when" checked={when === choice} onChange={() => onWhen(choice)} />
          {say(choice)}
        </label>
      ))}
      {when === 'atTime' && (
        <>
          <TimeField label={say('theTime')} value={time} fault={timeFault} required onChange={onTime} />
          <ZoneHint />
        </>
      )}
      {when === 'withRelease' && (
        <label class="field">
          <span>{say('theRelease')}</span>
          <select value={release} onChange={({ currentTarget }) => onRelease(currentTarget.value)}>
            {releases.map((name) => (
              <option key={name} value={name} selected={name === release}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}

/** The fields that readers will see, each with a link to it. */
function Shown({ open, onVisit }: { open: OpenArticle; onVisit: (name: FieldPlace) => void }) {
  const { site, texts } = useApp();
  const { say } = texts;
  const { excerpt, featuredImage } = open.fields.value;
  const article = open.article.value;
  const address = article && (pageOf(site.value, article) ?? article.slug);
  const rows = [
    ['slug', say('editorAddress'), address ?? ''],
    ['excerpt', say('field_excerpt'), excerpt],
    ['picture', say('field_featured_image'), featuredImage],
  ] as const;
  return (
    <dl class="will-show">
      {rows.map(([name, label, value]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>
            {name === 'picture' && value !== '' ? (
              <img src={value} alt={open.fields.value.altText} />
            ) : (
              <span class={value === '' ? 'hint' : ''}>{value === '' ? say('noneYet') : value}</span>
            )}
            <Button
              kind="quiet"
              aria-label={say('changeField', { field: label })}
              onClick={() => onVisit(name)}
            >
              {say('change')}
            </Button>
          </dd>
        </div>
      ))}
    </dl>
  );
}
