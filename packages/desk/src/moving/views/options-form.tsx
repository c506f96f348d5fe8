import { useEffect, useState } from 'preact/hooks';
import { withScheme } from '../../shared/state/with-scheme.ts';
import { Button } from '../../shared/views/button.tsx';
import { CheckField } from '../../shared/views/check-field.tsx';
import { DEFAULTS, type Format, type Import, type Options } from '../api/imports.ts';
import { useMoving } from '../moving-context.ts';

interface OptionsFormProps {
  format: Format;
  /** Those of the last check. */
  before: Import['options'];
  /** The label of its button. */
  label: string;
  onCheck: (options: Options) => void;
}

/** The options for reading a file; sending them starts a dry run. */
export function OptionsForm({ format, before, label, onCheck }: OptionsFormProps) {
  const { api, texts } = useMoving();
  const { say } = texts;
  const { author: namedBefore = '', site: siteBefore = '', ...given } = before ?? DEFAULTS;
  const { ignore: ignoredBefore = [], exact: wasExact = false, pictures: cameFrom, ...others } = given;
  const [options, setOptions] = useState(others);
  const [author, setAuthor] = useState(namedBefore ?? '');
  const [site, setSite] = useState(siteBefore ?? '');
  const [exact, setExact] = useState(wasExact);
  const [bringsPictures, setBringsPictures] = useState(
    before === null ? format !== 'jsonl' : cameFrom != null,
  );
  /** Null if pictures cannot come along. */
  const [pictures, setPictures] = useState<string | null>();
  useEffect(() => {
    api.pictureAddress().then(setPictures, () => setPictures(null));
  }, [api]);
  const [ignored, setIgnored] = useState(ignoredBefore.join(', '));
  const check = (event: SubmitEvent) => {
    event.preventDefault();
    onCheck({
      ...options,
      ...(author.trim() !== '' && { author: author.trim() }),
      ...(site.trim() !== '' && { site: withScheme(site.trim()) }),
      pictures: bringsPictures ? (pictures ?? null) : null,
      ...(format === 'jsonl' && { exact, ignore: namesIn(ignored) }),
    });
  };
  return (
    <section aria-labelledby="moving-options">
      <h3 id="moving-options">{say('options')}</h3>
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
        {pictures === null ? (
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
          <Button type="submit" disabled={pictures === undefined}>
            {label}
          </Button>
        </div>
      </form>
    </section>
  );
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
