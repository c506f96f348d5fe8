import type { FieldProblem } from '../../shared/api/problem.ts';
import { withScheme } from '../../shared/state/with-scheme.ts';
import { LatePictureInput } from '../../shared/views/late-picture-input.tsx';
import { faultWords } from '../../shared/views/problem-view.tsx';
import { SITE_SETTINGS, type SiteChange, type SiteSettingName, type SiteSettings } from '../api/site.ts';
import { usePeople } from '../people-context.ts';
import type { Say, TextName } from '../text/texts.ts';
import { languageOf } from './language-of.ts';
import {
  originWords,
  SettingField,
  type Settings,
  SettingsForm,
  SettingsPage,
  useTyped,
} from './settings-form.tsx';
import { ZoneInput } from './zone-input.tsx';

/** The help below each field. */
const HINTS: Partial<Record<SiteSettingName, TextName>> = {
  description: 'siteHint_description',
  language: 'siteHint_language',
  zone: 'siteHint_zone',
  url: 'siteHint_url',
  article_path: 'siteHint_path',
};

/** The site's name and addresses, overriding the server's. */
export function SitePage() {
  const { drafts, site } = usePeople();
  return (
    <SettingsPage name="site" api={site} draft={drafts.site}>
      {(settings) => <SiteForm settings={settings} />}
    </SettingsPage>
  );
}

function SiteForm({ settings }: { settings: Settings<SiteSettings, SiteChange> }) {
  const { drafts, texts } = usePeople();
  const { say } = texts;
  const { read, problem, isContested, touch, save } = settings;
  const [typed, setTyped] = useTyped(drafts.site, read);
  const change = (name: SiteSettingName, value: string | null) => {
    touch();
    setTyped({ ...typed, [name]: value });
  };
  const submit = async () => {
    if (await save(changedOf(typed, read))) setTyped({});
  };
  const faults = problem?.fields ?? [];
  return (
    <SettingsForm label={say('site')} settings={settings} onSave={submit}>
      {SITE_SETTINGS.map((name) => (
        <SiteField
          key={name}
          name={name}
          setting={read.settings[name]}
          typed={typed[name]}
          isContested={isContested}
          fault={faults.filter(({ field }) => field === name).map((fault) => siteFaultWords(fault, say))[0]}
          onChange={(value) => change(name, value)}
        />
      ))}
    </SettingsForm>
  );
}

function siteFaultWords(fault: FieldProblem, say: Say): string {
  return fault.code === 'redirect_loop' ? say('siteCircle') : faultWords(fault, say);
}

/** The typed values that differ; an empty one takes the server's. */
function changedOf(typed: SiteChange, { settings }: SiteSettings): SiteChange {
  const entries = SITE_SETTINGS.flatMap((name) => {
    const given = typed[name];
    if (given === undefined) return [];
    // `example.com` is what people write for the site's address.
    const value = (name === 'url' ? given && withScheme(given) : given?.trim()) || null;
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
  const { texts } = usePeople();
  const { say } = texts;
  const { value, made, environment, variable, is_fixed: isFixed } = setting;
  const [label, hint] = [say(`site_${name}`), HINTS[name]];
  const isMade = !isFixed && typed !== null && made !== null;
  const hints = [
    ...(hint === undefined ? [] : [say(hint)]),
    originWords(say, { variable, isFixed, isMade, environment }),
    ...(isContested && typed !== undefined ? [say('siteNow', { value: value ?? '–' })] : []),
  ];
  const shown = {
    ...{ value: typed === undefined ? (value ?? '') : (typed ?? environment ?? ''), disabled: isFixed },
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange(currentTarget.value),
  };
  return (
    <SettingField
      id={`site-${name}`}
      {...{ label, fault, hints }}
      onBack={isMade ? () => onChange(null) : undefined}
    >
      {(control) =>
        name === 'description' ? (
          <textarea {...control} {...shown} rows={2} />
        ) : name === 'zone' ? (
          <ZoneInput {...{ control }} value={shown.value} disabled={isFixed} onValue={onChange} />
        ) : (
          <>
            {name === 'logo' && !isFixed && (
              <LatePictureInput name="logo" texts={texts} src={shown.value} onTake={onChange} />
            )}
            <input
              {...control}
              {...shown}
              dir="auto"
              onChange={({ currentTarget }) => {
                if (name !== 'language') return;
                const tag = languageOf(currentTarget.value, document.documentElement.lang);
                if (tag !== undefined) onChange(tag);
              }}
            />
          </>
        )
      }
    </SettingField>
  );
}
