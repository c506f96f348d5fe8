import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem, type FieldProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { faultWords, ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { SITE_SETTINGS, type SiteChange, type SiteSettingName, type SiteSettings } from '../api/site.ts';
import { usePeople } from '../people-context.ts';
import type { Say, TextName } from '../text/texts.ts';
import { Page } from './pages.tsx';

/** The help below each field. */
const HINTS: Partial<Record<SiteSettingName, TextName>> = {
  description: 'siteHint_description',
  language: 'siteHint_language',
  url: 'siteHint_url',
  article_path: 'siteHint_path',
};

/** The site's name and addresses, overriding the server's. */
export function SitePage() {
  const { connection, site, texts } = usePeople();
  const { say } = texts;
  const [read, setRead] = useState<SiteSettings>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async () => {
    setProblem(undefined);
    try {
      setRead(await site.read());
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => {
    if (read === undefined) void load();
  }, [connection.returns.value]);
  return (
    <Page title={say('site')} hint={say('siteHint')}>
      {read !== undefined ? (
        <SiteForm read={read} onRead={setRead} />
      ) : problem !== undefined ? (
        <ProblemView problem={problem} onRetry={() => void load()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

interface SiteFormProps {
  read: SiteSettings;
  onRead: (read: SiteSettings) => void;
}

function SiteForm({ read, onRead }: SiteFormProps) {
  const { site, texts } = usePeople();
  const { say } = texts;
  const [typed, setTyped] = useState<SiteChange>({});
  const [problem, setProblem] = useState<ApiProblem>();
  const [isSaved, setSaved] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const change = (name: SiteSettingName, value: string | null) => {
    setSaved(false);
    setTyped({ ...typed, [name]: value });
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem(undefined);
    setSaved(false);
    setBusy(true);
    try {
      const changed = changedOf(typed, read);
      if (Object.keys(changed).length > 0) onRead(await site.change(changed, read.etag));
      setTyped({});
      setSaved(true);
    } catch (error) {
      const refused = asProblem(error);
      // Typed values stay, beside the other person's.
      if (refused.code === 'precondition_failed') onRead(await site.read().catch(() => read));
      setProblem(refused);
    }
    setBusy(false);
  };
  const faults = problem?.fields ?? [];
  return (
    <form class="form people-site" aria-label={say('site')} onSubmit={submit}>
      {SITE_SETTINGS.map((name) => (
        <SiteField
          key={name}
          name={name}
          setting={read.settings[name]}
          typed={typed[name]}
          isContested={problem?.code === 'precondition_failed'}
          fault={faults.filter(({ field }) => field === name).map((fault) => siteFaultWords(fault, say))[0]}
          onChange={(value) => change(name, value)}
        />
      ))}
      <p class="form-problem" role="alert">
        {problem !== undefined && refusalWords(problem, say)}
      </p>
      <p class="form-good" role="status">
        {isSaved && say('siteSaved')}
      </p>
      <Button kind="primary" type="submit" disabled={isBusy}>
        {say('save')}
      </Button>
    </form>
  );
}

/** Why nothing was saved, but for what stands beside a field. */
function refusalWords(problem: ApiProblem, say: Say): string {
  if (problem.code === 'precondition_failed') return say('siteChangedElsewhere');
  return problem.fields.length > 0 ? say('siteCheckFields') : problemWords(problem, say);
}

function siteFaultWords(fault: FieldProblem, say: Say): string {
  return fault.code === 'redirect_loop' ? say('siteCircle') : faultWords(fault, say);
}

/** The typed values that differ; an empty one takes the server's. */
function changedOf(typed: SiteChange, { settings }: SiteSettings): SiteChange {
  const entries = SITE_SETTINGS.flatMap((name) => {
    const given = typed[name];
    if (given === undefined) return [];
    const value = given?.trim() || null;
    const { value: holds, made } = settings[name];
    return value === (value === null ? made : holds) ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

interface SiteFieldProps {
  name: SiteSettingName;
  setting: SiteSettings['settings'][SiteSettingName];
  /** Null to take what the server says; undefined if nothing was typed. */
  typed: string | null | undefined;
  /** True if somebody else may have set it since it was read. */
  isContested: boolean;
  fault: string | undefined;
  onChange: (value: string | null) => void;
}

function SiteField({ name, setting, typed, isContested, fault, onChange }: SiteFieldProps) {
  const { say } = usePeople().texts;
  const { value, made, environment, variable, is_fixed: isFixed } = setting;
  const [id, hint] = [`site-${name}`, HINTS[name]];
  const isMade = !isFixed && typed !== null && made !== null;
  const origin = isFixed
    ? say('siteFixed', { variable })
    : !isMade
      ? say('siteOfServer', { variable })
      : environment === null
        ? say('siteSetHereAlone')
        : say('siteSetHere', { value: environment });
  const shown = {
    ...{ id, value: typed === undefined ? (value ?? '') : (typed ?? environment ?? ''), disabled: isFixed },
    ...{
      autocomplete: 'off' as const,
      'aria-describedby': `${id}-hint`,
      'aria-invalid': fault !== undefined,
    },
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{say(`site_${name}`)}</label>
      {name === 'description' ? <textarea {...shown} rows={2} /> : <input {...shown} dir="auto" />}
      <div id={`${id}-hint`} class="hint">
        {fault !== undefined && <p class="form-problem">{fault}</p>}
        {hint !== undefined && <p>{say(hint)}</p>}
        <p>{origin}</p>
        {isContested && typed !== undefined && <p>{say('siteNow', { value: value ?? '–' })}</p>}
      </div>
      {isMade && (
        <Button
          icon="undo"
          aria-label={say('siteBackOf', { name: say(`site_${name}`) })}
          onClick={() => onChange(null)}
        >
          {say('siteBack')}
        </Button>
      )}
    </div>
  );
}
