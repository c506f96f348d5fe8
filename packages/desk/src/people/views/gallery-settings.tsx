import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { type ApiProblem, asProblem, type FieldProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { faultWords, ProblemView } from '../../shared/views/problem-view.tsx';
import type {
  GalleryChange,
  GallerySettings,
  MailInput,
  ReadGallerySettings,
} from '../api/gallery-settings.ts';
import { usePeople } from '../people-context.ts';
import type { TextName } from '../text/texts.ts';
import { originWords, refusalWords } from './setting-words.ts';

interface FormProps {
  read: ReadGallerySettings;
  onRead: (read: ReadGallerySettings) => void;
}

/** What anybody may see of the files, and what sends mail, over what the server says. */
export function GallerySettingsForms() {
  const { connection, gallery } = usePeople();
  const [read, setRead] = useState<ReadGallerySettings>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async () => {
    setProblem(undefined);
    try {
      setRead(await gallery.read());
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  useEffect(() => {
    if (read === undefined) void load();
  }, [connection.returns.value]);
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={() => void load()} />;
  if (read === undefined) return <Loading />;
  return (
    <>
      <FoldersForm read={read} onRead={setRead} />
      <MailForm read={read} onRead={setRead} />
    </>
  );
}

function FoldersForm({ read, onRead }: FormProps) {
  const { say } = usePeople().texts;
  const id = useId();
  const { value, made, environment, variable, isFixed } = read.settings.publicFolders;
  const [typed, setTyped] = useState<string>();
  const saving = useSaving(read, onRead, () => setTyped(undefined));
  const shown = typed ?? value.join('\n');
  const folders = shown.split('\n').filter((line) => line.trim() !== '');
  return (
    <SettingForm
      title={say('publicFolders')}
      hint={say('publicFoldersHint')}
      origin={originWords(say, {
        ...{ variable, isFixed, isMade: made !== null },
        environment: environment.length > 0 ? environment.join(', ') : null,
      })}
      saving={saving}
      isFixed={isFixed}
      onSave={() => saving.save({ publicFolders: folders })}
      onBack={made === null ? undefined : () => saving.save({ publicFolders: null })}
    >
      <Field id={id} label="publicFoldersLabel" fault={saving.faultOf('publicFolders')}>
        <textarea
          id={id}
          rows={Math.max(2, folders.length + 1)}
          value={shown}
          disabled={isFixed}
          aria-invalid={saving.faultOf('publicFolders') !== undefined}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </Field>
    </SettingForm>
  );
}

const MAIL_FIELDS = ['server', 'user', 'password', 'from'] as const;

function MailForm({ read, onRead }: FormProps) {
  const { gallery, texts } = usePeople();
  const { say } = texts;
  const id = useId();
  const { value, made, environment, variable, isFixed } = read.settings.mail;
  const [typed, setTyped] = useState<Partial<Record<(typeof MAIL_FIELDS)[number], string>>>({});
  const [to, setTo] = useState('');
  const [tested, setTested] = useState('');
  const saving = useSaving(read, onRead, () => setTyped({}));
  const shown = { ...{ server: '', user: '', password: '', from: '' }, ...shownMail(value), ...typed };
  const mail: MailInput = {
    server: shown.server.trim(),
    user: shown.user.trim() || null,
    from: shown.from.trim(),
    ...(shown.password !== '' && { password: shown.password }),
  };
  const test = async () => {
    setTested('');
    const code = await saving.attempt(() => gallery.test(to.trim(), mail));
    if (code === undefined) return;
    setTested(code === null ? say('mailTested') : say(`problem_${code}` as TextName));
  };
  return (
    <SettingForm
      title={say('mail')}
      hint={say('mailSettingHint')}
      origin={originWords(say, {
        ...{ variable, isFixed, isMade: made !== null },
        environment: environment?.server ?? null,
      })}
      saving={saving}
      isFixed={isFixed}
      onSave={() => saving.save({ mail })}
      onBack={made === null ? undefined : () => saving.save({ mail: null })}
    >
      {MAIL_FIELDS.map((name) => (
        <Field key={name} id={`${id}-${name}`} label={`mail_${name}`} fault={saving.faultOf(name)}>
          <input
            id={`${id}-${name}`}
            type={name === 'password' ? 'password' : 'text'}
            autocomplete={name === 'password' ? 'new-password' : 'off'}
            placeholder={name === 'password' && value?.hasPassword ? say('mailPasswordKept') : ''}
            value={shown[name]}
            disabled={isFixed}
            aria-invalid={saving.faultOf(name) !== undefined}
            onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
          />
        </Field>
      ))}
      {!isFixed && (
        <>
          <Field id={`${id}-to`} label="mailTestTo" fault={saving.faultOf('to')}>
            <input
              id={`${id}-to`}
              type="text"
              autocomplete="email"
              value={to}
              onInput={({ currentTarget }) => setTo(currentTarget.value)}
            />
          </Field>
          <Button disabled={saving.isBusy || to === ''} onClick={() => void test()}>
            {say('mailTest')}
          </Button>
          <p role="status">{tested}</p>
        </>
      )}
    </SettingForm>
  );
}

function shownMail(mail: GallerySettings['mail']['value']) {
  return mail === null ? {} : { server: mail.server, user: mail.user ?? '', from: mail.from };
}

/** Saves one of the settings, and keeps why that failed. */
function useSaving({ etag }: ReadGallerySettings, onRead: FormProps['onRead'], onSaved: () => void) {
  const { gallery } = usePeople();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  /** Undefined if it failed. */
  const attempt = async <Result,>(work: () => Promise<Result>): Promise<Result | undefined> => {
    setProblem(undefined);
    setSaved(false);
    setBusy(true);
    try {
      return await work();
    } catch (error) {
      setProblem(asProblem(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const save = async (change: GalleryChange) => {
    const read = await attempt(() => gallery.change(change, etag));
    if (read === undefined) return;
    onRead(read);
    onSaved();
    setSaved(true);
  };
  const faultOf = (name: string): FieldProblem | undefined =>
    problem?.fields.find(({ field }) => field.split('.').includes(name));
  return { attempt, save, faultOf, problem, isBusy, isSaved };
}

interface SettingFormProps {
  title: string;
  hint: string;
  /** Whether the desk or the server says it. */
  origin: string;
  saving: ReturnType<typeof useSaving>;
  isFixed: boolean;
  onSave: () => Promise<void>;
  /** Takes what the server says; undefined if that holds. */
  onBack: (() => Promise<void>) | undefined;
  children: ComponentChildren;
}

function SettingForm(props: SettingFormProps) {
  const { title, hint, origin, saving, isFixed, onSave, onBack, children } = props;
  const { say } = usePeople().texts;
  const { problem, isBusy, isSaved } = saving;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void onSave();
  };
  return (
    <form class="form people-site" aria-label={title} onSubmit={submit}>
      <h2>{title}</h2>
      <p class="hint">{hint}</p>
      {children}
      <p class="hint">{origin}</p>
      <p class="form-problem" role="alert">
        {problem !== undefined && refusalWords(problem, say)}
      </p>
      <p class="form-good" role="status">
        {isSaved && say('siteSaved')}
      </p>
      {!isFixed && (
        <Button kind="primary" type="submit" disabled={isBusy}>
          {say('save')}
        </Button>
      )}
      {onBack !== undefined && !isFixed && (
        <Button
          icon="undo"
          aria-label={say('siteBackOf', { name: title })}
          disabled={isBusy}
          onClick={() => void onBack()}
        >
          {say('siteBack')}
        </Button>
      )}
    </form>
  );
}

interface FieldProps {
  id: string;
  label: TextName;
  fault: FieldProblem | undefined;
  children: ComponentChildren;
}

function Field({ id, label, fault, children }: FieldProps) {
  const { say } = usePeople().texts;
  return (
    <div class="field">
      <label for={id}>{say(label)}</label>
      {children}
      {fault !== undefined && <p class="form-problem">{faultWords(fault, say)}</p>}
    </div>
  );
}
