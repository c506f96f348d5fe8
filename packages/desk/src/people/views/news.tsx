import { Button } from '../../shared/views/button.tsx';
import { faultWords } from '../../shared/views/problem-view.tsx';
import type { NewsChange, NewsSettings } from '../api/news-settings.ts';
import { usePeople } from '../people-context.ts';
import { CategoriesField, categoriesOf, named, PacksField, type TypedCategory } from './news-words.tsx';
import {
  originWords,
  SettingField,
  type Settings,
  SettingsForm,
  SettingsPage,
  useTyped,
} from './settings-form.tsx';
import { ZoneInput } from './zone-input.tsx';

/** When the reports of the news are made, and by which words items are judged, over what the server says. */
export function NewsSettingsPage() {
  const { drafts, news } = usePeople();
  return (
    <SettingsPage name="newsSettings" api={news} draft={drafts.news}>
      {(settings) => <NewsForm settings={settings} />}
    </SettingsPage>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

function hourWords(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** What was typed; null to take what the server says. */
export interface TypedNews extends Omit<NewsChange, 'categories'> {
  categories?: readonly TypedCategory[] | null;
}

function NewsForm({ settings }: { settings: Settings<NewsSettings, NewsChange> }) {
  const { drafts, site, texts } = usePeople();
  const { say } = texts;
  const { reportHour, reportZone } = settings.read.settings;
  const [typed, setTyped] = useTyped(drafts.news, settings.read);
  const change = (members: TypedNews) => {
    settings.touch();
    setTyped({ ...typed, ...members });
  };
  const field = <Value,>(
    name: 'reportHour' | 'reportZone',
    setting: Setting<Value>,
    words: (value: Value) => string,
  ) => {
    const { value, made, environment, variable, isFixed } = setting;
    const isMade = !isFixed && typed[name] !== null && made !== null;
    const isContested = settings.isContested && typed[name] !== undefined;
    return {
      id: `news-${name}`,
      label: say(`news_${name}`),
      fault: settings.problem?.fields
        .filter((fault) => fault.field === name)
        .map((fault) => faultWords(fault, say))[0],
      hints: [
        ...(name === 'reportZone' ? [say('newsZoneHint')] : []),
        originWords(say, { variable, isFixed, isMade, environment: words(environment) }),
        ...(isContested ? [say('siteNow', { value: words(value) })] : []),
      ],
      onBack: isMade ? () => change({ [name]: null }) : undefined,
    };
  };
  const submit = async () => {
    const { categories, ...others } = typed;
    const changed = {
      ...others,
      ...(categories !== undefined && {
        categories: categories && categoriesOf(await named(categories, settings.read.settings)),
      }),
    };
    if (await settings.save(changed)) setTyped({});
  };
  const takeSites = async () => {
    const zone = (await settings.attempt(() => site.read()))?.settings.zone.value;
    if (typeof zone === 'string') change({ reportZone: zone });
  };
  const hour = shownOf(reportHour, typed.reportHour);
  return (
    <SettingsForm label={say('newsSettings')} settings={settings} onSave={submit}>
      <SettingField {...field('reportHour', reportHour, hourWords)}>
        {({ autocomplete: _, ...control }) => (
          <select
            {...control}
            value={hour}
            disabled={reportHour.isFixed}
            onChange={({ currentTarget }) => change({ reportHour: Number(currentTarget.value) })}
          >
            {HOURS.map((one) => (
              <option key={one} value={one} selected={one === hour}>
                {hourWords(one)}
              </option>
            ))}
          </select>
        )}
      </SettingField>
      <SettingField {...field('reportZone', reportZone, String)}>
        {(control) => (
          <>
            <ZoneInput
              {...{ control }}
              value={shownOf(reportZone, typed.reportZone)}
              disabled={reportZone.isFixed}
              onValue={(zone) => change({ reportZone: zone })}
            />
            {!reportZone.isFixed && (
              <Button kind="quiet" disabled={settings.isBusy} onClick={() => void takeSites()}>
                {say('newsZoneAsSite')}
              </Button>
            )}
          </>
        )}
      </SettingField>
      <PacksField
        settings={settings}
        typed={typed.packs}
        onChange={(packs) => change({ packs: packs && [...packs] })}
      />
      <CategoriesField
        settings={settings}
        typed={typed.categories}
        onChange={(categories) => change({ categories })}
      />
    </SettingsForm>
  );
}

interface Setting<Value> {
  readonly value: Value;
  readonly made: Value | null;
  readonly environment: Value;
  readonly variable: string;
  readonly isFixed: boolean;
}

/** What a field shows; null was typed to take what the server says. */
function shownOf<Value>({ value, environment }: Setting<Value>, typed: Value | null | undefined): Value {
  return typed === undefined ? value : (typed ?? environment);
}
