import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { usePeople } from '../people-context.ts';
import type { Say } from '../text/texts.ts';
import { Page } from './pages.tsx';

interface SettingsApi<Read extends { etag: string }, Change> {
  read(): Promise<Read>;
  /** Changes some, unless somebody else has changed one since that version. */
  change(change: Change, etag: string): Promise<Read>;
}

/** Settings as they are read, and the work on them. */
export interface Settings<Read, Change> {
  read: Read;
  problem: ApiProblem | undefined;
  /** True if somebody else may have set one since it was read. */
  isContested: boolean;
  isBusy: boolean;
  isSaved: boolean;
  /** Something was typed: what is shown is not what was saved. */
  touch: () => void;
  /** Saves what differs; resolves to false if that failed. */
  save: (change: Change) => Promise<boolean>;
  /** Does something else; undefined if that failed. */
  attempt: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
}

/** What was typed and is not saved, and what it would replace; it stays while other pages are shown. */
export interface Draft<Read, Typed> {
  kept?: { readonly read: Read; readonly typed: Partial<Typed> } | undefined;
}

/** What is typed into a form, kept in its draft. */
export function useTyped<Read, Typed extends object>(draft: Draft<Read, Typed>, read: Read) {
  const [typed, setTyped] = useState<Partial<Typed>>(draft.kept?.typed ?? {});
  useLayoutEffect(() => {
    draft.kept = Object.keys(typed).length > 0 ? { read, typed } : undefined;
  }, [draft, read, typed]);
  return [typed, setTyped] as const;
}

interface SettingsPageProps<Read extends { etag: string }, Change> {
  name: 'site' | 'newsSettings' | 'gallery';
  draft: Draft<Read, object>;
  api: SettingsApi<Read, Change>;
  children: (settings: Settings<Read, Change>) => ComponentChildren;
}

/** A page of settings, over what the server says. */
export function SettingsPage<Read extends { etag: string }, Change extends object>({
  name,
  api,
  draft,
  children,
}: SettingsPageProps<Read, Change>) {
  const { connection, texts } = usePeople();
  const { say } = texts;
  const [read, setRead] = useState<Read | undefined>(draft.kept?.read);
  const [unread, setUnread] = useState<ApiProblem>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isSaved, setSaved] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const load = async () => {
    setUnread(undefined);
    try {
      setRead(await api.read());
    } catch (error) {
      setUnread(asProblem(error));
    }
  };
  useEffect(() => {
    if (read === undefined) void load();
  }, [connection.returns.value]);
  const attempt = async <Result,>(work: () => Promise<Result>) => {
    setProblem(undefined);
    setSaved(false);
    setBusy(true);
    try {
      return await work();
    } catch (error) {
      const refused = asProblem(error);
      // Typed values stay, beside the other person's.
      if (refused.code === 'precondition_failed') setRead(await api.read().catch(() => read));
      setProblem(refused);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const save = async (change: Change) => {
    const isChange = Object.keys(change).length > 0;
    const now = await attempt(async () => (isChange ? api.change(change, read?.etag ?? '') : read));
    if (now === undefined) return false;
    setRead(now);
    setSaved(true);
    return true;
  };
  const isContested = problem?.code === 'precondition_failed';
  const touch = () => setSaved(false);
  return (
    <Page title={say(name)} hint={say(`${name}Hint`)}>
      {read !== undefined ? (
        children({ read, problem, isContested, isBusy, isSaved, touch, save, attempt })
      ) : unread !== undefined ? (
        <ProblemView problem={unread} onRetry={() => void load()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

interface SettingsFormProps {
  label: string;
  settings: Pick<Settings<{ settings: object }, never>, 'read' | 'problem' | 'isBusy' | 'isSaved'>;
  onSave: () => Promise<void>;
  children: ComponentChildren;
}

export function SettingsForm({ label, settings, onSave, children }: SettingsFormProps) {
  const { say, list } = usePeople().texts;
  const { read, problem, isBusy, isSaved } = settings;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void onSave();
  };
  return (
    <form class="form people-site" aria-label={label} onSubmit={submit}>
      {children}
      <details class="hint">
        <summary>{say('siteOfServer')}</summary>
        {list(variablesOf(read.settings))}
      </details>
      <div class="people-save">
        <Button kind="primary" type="submit" disabled={isBusy}>
          {say('save')}
        </Button>
        <p class="form-problem" role="alert">
          {problem !== undefined && refusalWords(problem, say)}
        </p>
        <p class="form-good" role="status">
          {isSaved && say('siteSaved')}
        </p>
      </div>
    </form>
  );
}

/** The server's names of these settings. */
function variablesOf(settings: object): string[] {
  return Object.values(settings).flatMap((setting: { variable?: string }) => setting.variable ?? []);
}

/** Why nothing was saved, but for what stands beside a field. */
function refusalWords(problem: ApiProblem, say: Say): string {
  if (problem.code === 'precondition_failed') return say('siteChangedElsewhere');
  return problem.fields.length > 0 ? say('siteCheckFields') : problemWords(problem, say);
}

interface Origin {
  variable: string;
  isFixed: boolean;
  /** True if it was set at the desk, and is to stay so. */
  isMade: boolean;
  /** What the server says, as text; null if nothing. */
  environment: string | null;
}

/** Where it is not as the form says of all: the server fixes it, or it was set at the desk; else empty. */
export function originWords(say: Say, { variable, isFixed, isMade, environment }: Origin): string {
  if (isFixed) return say('siteFixed', { variable });
  return isMade && environment !== null ? say('siteSetHere', { value: environment }) : '';
}

interface SettingFieldProps {
  id: string;
  label: string;
  fault: string | undefined;
  hints: readonly string[];
  /** Takes what the server says; undefined if that holds. */
  onBack?: (() => void) | undefined;
  children: (control: ControlProps) => ComponentChildren;
}

interface ControlProps {
  id: string;
  autocomplete: 'off';
  'aria-describedby': string;
  'aria-invalid': boolean;
}

export function SettingField({ id, label, fault, hints, onBack, children }: SettingFieldProps) {
  const described = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        ...{ id, autocomplete: 'off', 'aria-describedby': described, 'aria-invalid': fault !== undefined },
      })}
      <div id={described} class="hint">
        {fault !== undefined && <p class="form-problem">{fault}</p>}
        {hints
          .filter((hint) => hint !== '')
          .map((hint) => (
            <p key={hint}>{hint}</p>
          ))}
      </div>
      {onBack !== undefined && <BackButton name={label} onBack={onBack} />}
    </div>
  );
}

/** Takes what the server says instead of what was set at the desk. */
export function BackButton({ name, onBack }: { name: string; onBack: () => void }) {
  const { say } = usePeople().texts;
  return (
    <Button kind="quiet" icon="undo" aria-label={say('siteBackOf', { name })} onClick={onBack}>
      {say('siteBack')}
    </Button>
  );
}
