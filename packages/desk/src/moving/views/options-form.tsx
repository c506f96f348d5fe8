import { useEffect, useState } from 'preact/hooks';
import { withScheme } from '../../shared/state/with-scheme.ts';
import { Button } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { DEFAULTS, type Import, type Options, type PicturePlace } from '../api/imports.ts';
import { useMoving } from '../moving-context.ts';

interface OptionsFormProps {
  found: Import;
  isOpen: boolean;
  /** The label of its button. */
  label: string;
  onCheck: (options: Options) => void;
}

/** The options for reading a file; sending them starts a dry run. */
export function OptionsForm({ found, isOpen, label, onCheck }: OptionsFormProps) {
  const { address, api, texts } = useMoving();
  const { say } = texts;
  const { format, options: before, takes_pictures: takesPictures } = found;
  const { author: namedBefore = '', site: siteBefore = '', ...given } = before ?? DEFAULTS;
  const { ignore: ignoredBefore = [], pictures: picturesBefore, exact: isExact = false, ...others } = given;
  const [options, setOptions] = useState(others);
  const [author, setAuthor] = useState(namedBefore ?? '');
  const [site, setSite] = useState(siteBefore ?? '');
  const [exact, setExact] = useState(isExact);
  const [ignored, setIgnored] = useState(ignoredBefore.join(', '));
  const [bringsPictures, setBringsPictures] = useState(before === null || picturesBefore != null);
  /** Null once it is known that pictures cannot come along. */
  const [place, setPlace] = useState<PicturePlace | null>();
  useEffect(() => {
    const asking = takesPictures ? api.picturePlace(address.base) : Promise.resolve(undefined);
    asking.then(
      (known) => setPlace(known ?? null),
      () => setPlace(null),
    );
  }, [api, takesPictures]);
  const check = (event: SubmitEvent) => {
    event.preventDefault();
    onCheck({
      ...options,
      ...(author.trim() !== '' && { author: author.trim() }),
      ...(site.trim() !== '' && { site: withScheme(site.trim()) }),
      ...(format === 'jsonl' && { exact, ignore: namesIn(ignored) }),
      pictures: bringsPictures ? (place ?? null) : null,
    });
  };
  return (
    <details open={isOpen}>
      <summary>{say('options')}</summary>
      <form class="form moving-options" onSubmit={check}>
        {format === 'ghost' && (
          <label class="field">
            <span>{say('site')}</span>
            <input
              type="text"
              inputMode="url"
              placeholder="https://old.example"
              value={site}
              onInput={({ currentTarget }) => setSite(currentTarget.value)}
            />
          </label>
        )}
        <label class="field">
          <span>{say('author')}</span>
          <input
            type="text"
            maxLength={255}
            value={author}
            onInput={({ currentTarget }) => setAuthor(currentTarget.value)}
          />
        </label>
        {(['clean', 'short', 'truncate', 'redirects'] as const).map((name) => (
          <CheckField
            key={name}
            label={say(name)}
            checked={options[name]}
            onChecked={(checked) => setOptions({ ...options, [name]: checked })}
          />
        ))}
        {place === null ? (
          <p class="hint">{say('picturesStay')}</p>
        ) : (
          <CheckField label={say('bringPictures')} checked={bringsPictures} onChecked={setBringsPictures} />
        )}
        {format === 'jsonl' && (
          <>
            <CheckField label={say('exact')} checked={exact} onChecked={setExact} />
            <label class="field">
              <span>{say('ignore')}</span>
              <input
                type="text"
                value={ignored}
                onInput={({ currentTarget }) => setIgnored(currentTarget.value)}
              />
            </label>
          </>
        )}
        <div>
          <Button type="submit" disabled={place === undefined}>
            {label}
          </Button>
        </div>
      </form>
    </details>
  );
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
