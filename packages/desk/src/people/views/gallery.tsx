import { useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { faultWords } from '../../shared/views/problem-view.tsx';
import type { GalleryChange, MailInput, ReadGallerySettings } from '../api/gallery-settings.ts';
import { usePeople } from '../people-context.ts';
import { Sure } from './list-page.tsx';
import {
  BackButton,
  originWords,
  SettingField,
  type Settings,
  SettingsForm,
  SettingsPage,
  useTyped,
} from './settings-form.tsx';

/** What anybody may see of the files, and what sends mail, over what the server says. */
export function GalleryPage() {
  const { drafts, gallery } = usePeople();
  return (
    <SettingsPage name="gallery" api={gallery} draft={drafts.gallery}>
      {(settings) => <GalleryForm settings={settings} />}
    </SettingsPage>
  );
}

const MAIL_FIELDS = ['server', 'user', 'password', 'from'] as const;

type TypedMail = Record<(typeof MAIL_FIELDS)[number], string>;

/** What was typed; null to take what the server says. */
export interface TypedGallery {
  folders?: string | null;
  mail?: TypedMail | null;
}

interface PartProps<Value> {
  settings: Settings<ReadGallerySettings, GalleryChange>;
  typed: Value | null | undefined;
  onChange: (typed: Value | null) => void;
}

function GalleryForm({ settings }: Pick<PartProps<never>, 'settings'>) {
  const { drafts, gallery, texts } = usePeople();
  const { say } = texts;
  const { touch, save, attempt, read } = settings;
  const [typed, setTyped] = useTyped(drafts.gallery, read);
  const [hiding, setHiding] = useState<number>();
  const change = (part: TypedGallery) => {
    touch();
    setTyped({ ...typed, ...part });
  };
  const submit = async (isSure = false) => {
    setHiding(undefined);
    const { folders, mail } = typed;
    const { value, environment } = read.settings.publicFolders;
    const kept = folders === undefined ? value : folders === null ? environment : linesOf(folders);
    const lost = value.filter((folder) => !kept.some((one) => folder.startsWith(one.trim())));
    if (!isSure && lost.length > 0) {
      const articles = (await attempt(() => gallery.articlesShowing(lost))) ?? 0;
      if (articles > 0) return setHiding(articles);
    }
    const changed = {
      ...(folders !== undefined && { publicFolders: folders === null ? null : linesOf(folders) }),
      ...(mail !== undefined && { mail: mail === null ? null : mailOf(mail) }),
    };
    if (await save(changed)) setTyped({});
  };
  return (
    <>
      <SettingsForm label={say('gallery')} settings={settings} onSave={submit}>
        <Folders settings={settings} typed={typed.folders} onChange={(folders) => change({ folders })} />
        <Mail settings={settings} typed={typed.mail} onChange={(mail) => change({ mail })} />
      </SettingsForm>
      {hiding !== undefined && (
        <Sure
          title={say('foldersHideTitle')}
          hint={say('foldersHideHint', { count: hiding })}
          button={say('save')}
          onClose={() => setHiding(undefined)}
          onSure={() => void submit(true)}
        />
      )}
    </>
  );
}

function Folders({ settings, typed, onChange }: PartProps<string>) {
  const { say, list } = usePeople().texts;
  const { value, made, environment, variable, isFixed } = settings.read.settings.publicFolders;
  const isMade = !isFixed && typed !== null && made !== null;
  const fault = settings.problem?.fields.find(({ field }) => field.startsWith('publicFolders'));
  const hints = [
    say('publicFoldersHint'),
    originWords(say, { variable, isFixed, isMade, environment: list(environment) || null }),
    ...(settings.isContested && typed !== undefined ? [say('siteNow', { value: list(value) || '–' })] : []),
  ];
  return (
    <SettingField
      id="gallery-folders"
      label={say('publicFolders')}
      fault={fault && faultWords(fault, say)}
      hints={hints}
      onBack={isMade ? () => onChange(null) : undefined}
    >
      {(control) => (
        <textarea
          {...control}
          rows={3}
          value={typed === undefined ? value.join('\n') : (typed ?? environment.join('\n'))}
          disabled={isFixed}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </SettingField>
  );
}

function Mail({ settings, typed, onChange }: PartProps<TypedMail>) {
  const { say } = usePeople().texts;
  const { value, made, environment, variable, isFixed } = settings.read.settings.mail;
  const isMade = !isFixed && typed !== null && made !== null;
  const held = typed === null ? environment : value;
  const shown: TypedMail = typed ?? {
    ...{ server: held?.server ?? '', user: held?.user ?? '', password: '', from: held?.from ?? '' },
  };
  const { isContested, problem } = settings;
  const placeholders: Partial<TypedMail> = {
    server: 'smtps://mail.example.org',
    ...(held?.hasPassword && { password: say('mailPasswordKept') }),
  };
  return (
    <fieldset class="people-mail">
      <legend>{say('mail')}</legend>
      {MAIL_FIELDS.map((name) => {
        const fault = problem?.fields.find(({ field }) => field === `mail.${name}`);
        return (
          <SettingField
            key={name}
            id={`gallery-mail-${name}`}
            label={say(`mail_${name}`)}
            fault={fault && faultWords(fault, say)}
            hints={[]}
          >
            {(control) => (
              <input
                {...control}
                type={name === 'password' ? 'password' : 'text'}
                autocomplete={name === 'password' ? 'new-password' : 'off'}
                placeholder={placeholders[name]}
                value={shown[name]}
                disabled={isFixed}
                onInput={({ currentTarget }) => onChange({ ...shown, [name]: currentTarget.value })}
              />
            )}
          </SettingField>
        );
      })}
      <p class="hint">{say('mailHint')}</p>
      <p class="hint">
        {originWords(say, { variable, isFixed, isMade, environment: environment?.server ?? null })}
      </p>
      {isContested && typed !== undefined && (
        <p class="hint">{say('siteNow', { value: value?.server ?? '–' })}</p>
      )}
      {isMade && <BackButton name={say('mail')} onBack={() => onChange(null)} />}
      <MailTest settings={settings} mail={typed ? (mailOf(typed) ?? undefined) : undefined} />
    </fieldset>
  );
}

/** Sends a mail by what was typed, else by what holds. */
function MailTest({ settings, mail }: Pick<PartProps<never>, 'settings'> & { mail: MailInput | undefined }) {
  const { gallery, texts } = usePeople();
  const { say } = texts;
  const [to, setTo] = useState('');
  const [tested, setTested] = useState('');
  const { attempt, isBusy, problem } = settings;
  const fault = problem?.fields.find(({ field }) => field === 'to');
  const test = async () => {
    setTested('');
    const code = await attempt(() => gallery.test(to.trim(), mail));
    if (code !== undefined) setTested(say(code === null ? 'mailTested' : `mailFault_${code}`));
  };
  return (
    <>
      <SettingField
        id="gallery-mail-to"
        label={say('mailTestTo')}
        fault={fault && faultWords(fault, say)}
        hints={[]}
      >
        {(control) => (
          <input {...control} value={to} onInput={({ currentTarget }) => setTo(currentTarget.value)} />
        )}
      </SettingField>
      <Button disabled={isBusy || to === ''} onClick={() => void test()}>
        {say('mailTest')}
      </Button>
      <p role="status">{tested}</p>
    </>
  );
}

function linesOf(folders: string): string[] {
  return folders.split('\n').filter((line) => line.trim() !== '');
}

/** With the brackets of an address as mail has them, also where a Chinese keyboard has typed others. */
function asciiBrackets(sender: string): string {
  return sender.replace(/[＜〈《‹](?=[^＜〈《‹]*$)/u, ' <').replace(/[＞〉》›]$/u, '>');
}

/** Null to take what the server says: no address is typed. */
function mailOf({ server, user, password, from }: TypedMail): MailInput | null {
  if (server.trim() === '') return null;
  return {
    ...{ server: server.trim(), user: user.trim() || null, from: asciiBrackets(from.trim()) },
    ...(password !== '' && { password }),
  };
}
