import { useState } from 'preact/hooks';

interface Zone {
  readonly id: string;
  /** Its place and its time, in the language of the page. */
  readonly label: string;
}

interface ZoneInputProps {
  /** What the field needs to stand with its label and hints. */
  control: { readonly id: string };
  value: string;
  disabled: boolean;
  onValue: (value: string) => void;
}

/** A time zone, found by its name or by that of its place: 香港 and Hong Kong are Asia/Hong_Kong. */
export function ZoneInput({ control, value, disabled, onValue }: ZoneInputProps) {
  const [zones, setZones] = useState<readonly Zone[]>([]);
  const list = `${control.id}-zones`;
  return (
    <>
      <input
        {...control}
        value={value}
        list={list}
        spellcheck={false}
        dir="auto"
        disabled={disabled}
        onFocus={() => zones.length === 0 && setZones(zonesIn(document.documentElement.lang))}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        onChange={({ currentTarget }) => {
          const found = zoneOf(currentTarget.value, zones);
          if (found !== undefined) onValue(found);
        }}
      />
      <datalist id={list}>
        {zones.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** All zones, with the names of their places and times in a language. */
export function zonesIn(language: string): Zone[] {
  return Intl.supportedValuesOf('timeZone').map((id) => {
    const names = (['shortGeneric', 'longGeneric'] as const).map((timeZoneName) =>
      new Intl.DateTimeFormat(language, { timeZone: id, timeZoneName })
        .formatToParts(0)
        .flatMap(({ type, value }) => (type === 'timeZoneName' ? [value] : [])),
    );
    return { id, label: [...new Set(names.flat())].join(' · ') };
  });
}

/** The zone that a text means: by its name, its city or the first place that is called so. */
export function zoneOf(text: string, zones: readonly Zone[]): string | undefined {
  const words = text.trim().toLowerCase();
  if (words === '') return undefined;
  const wanted = words.replaceAll(' ', '_');
  const named = zones.find(({ id }) => id.toLowerCase() === wanted);
  const city = zones.find(({ id }) => id.toLowerCase().endsWith(`/${wanted}`));
  // Chinese has no spaces between words; elsewhere, Mars is not in the Marshall Islands.
  const [edge, within] = /\p{Script=Han}/u.test(words) ? ['', words] : [' ', ` ${words} `];
  const placed = zones.find(({ label }) => `${edge}${label.toLowerCase()}${edge}`.includes(within));
  return (named ?? city ?? placed)?.id;
}
