import { useEffect, useRef, useState } from 'preact/hooks';
import { asProblem } from '../../shared/api/problem.ts';
import { useTitle } from '../../shared/desk.ts';
import { Button } from '../../shared/views/button.tsx';
import { Header } from '../../shared/views/header.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { Link } from '../../shared/views/link.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { useFileDrops } from '../../shared/views/use-file-drops.ts';
import { DEFAULTS, type Import, UnknownFormat } from '../api/imports.ts';
import { useMoving } from '../moving-context.ts';
import { ImportView } from './import-view.tsx';

/** The section: a new import, or the one that the address names. */
export function MovingPage() {
  const { address, me, texts } = useMoving();
  const { say } = texts;
  const { rest } = address.here.value;
  useTitle(say('moving'));
  return (
    <div class="page moving">
      <Header>
        <span class="space" />
      </Header>
      {/* Without a button in it, the keyboard could not scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <main class="main column moving-page" tabIndex={0}>
        <h1>{say('moving')}</h1>
        {!me.may('edit') ? (
          <p class="empty-title">{say('roleForbids')}</p>
        ) : /^[1-9]\d*$/.test(rest) ? (
          <ImportView key={rest} id={Number(rest)} />
        ) : (
          <Beginning />
        )}
      </main>
    </div>
  );
}

/** The largest file that the service takes, in bytes. */
const MOST_BYTES = 128 * 2 ** 20;

function Beginning() {
  const { address, api, texts } = useMoving();
  const { say } = texts;
  const [sent, setSent] = useState<{ name: string; share: number }>();
  const [problem, setProblem] = useState<string>();
  const [earlier, setEarlier] = useState<readonly Import[]>([]);
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Without it, a new one can still be begun.
    api.list().then(setEarlier, () => undefined);
  }, [api]);
  const take = async (file: File | undefined) => {
    if (file === undefined || sent !== undefined) return;
    if (file.size > MOST_BYTES || file.size === 0)
      return setProblem(say(file.size === 0 ? 'isEmpty' : 'tooLarge'));
    setProblem(undefined);
    setSent({ name: file.name, share: 0 });
    try {
      const id = await api.upload(file, (bytes) => setSent({ name: file.name, share: bytes / file.size }));
      // Ghost leaves out an address that has to be named first.
      const { format } = await api.read(id);
      const pictures = format === 'wordpress' ? await api.pictureAddress() : null;
      if (format !== 'ghost') await api.check(id, { ...DEFAULTS, pictures });
      address.go(`moving/${id}`);
    } catch (error) {
      setProblem(error instanceof UnknownFormat ? say('unknownFormat') : problemWords(asProblem(error), say));
      setSent(undefined);
    }
  };
  const isOver = useFileDrops((data) => void take(data.files[0]));
  return (
    <>
      <p class="hint">{say('hint')}</p>
      <p class="hint">{say('where')}</p>
      <div class={`moving-drop ${isOver ? 'moving-over' : ''}`}>
        {sent === undefined ? (
          <>
            <Icon name="upload" size={32} />
            <p class="for-mouse">{say('drop')}</p>
            <Button kind="primary" onClick={() => chooser.current?.click()}>
              {say('choose')}
            </Button>
            <input
              ref={chooser}
              type="file"
              hidden
              accept=".xml,.json,.jsonl,.ndjson"
              onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
            />
          </>
        ) : (
          <>
            <p id="moving-sending">{say('sending', { name: sent.name })}</p>
            <progress value={sent.share} aria-labelledby="moving-sending" />
          </>
        )}
      </div>
      <p class="form-problem" role="alert">
        {problem}
      </p>
      {earlier.length > 0 && (
        <section aria-labelledby="moving-earlier">
          <h2 id="moving-earlier">{say('earlier')}</h2>
          <ul class="moving-list">
            {earlier.map(({ id, name, state, changed_at }) => (
              <li key={id}>
                <Link to={`moving/${id}`}>{texts.name(name)}</Link>
                <span class="hint">
                  {say(`state_${state}`)} · {texts.date(Date.parse(changed_at))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="moving-export">
        <h2 id="moving-export">{say('export')}</h2>
        <p class="hint">{say('exportHint')}</p>
        <p>
          <a class="button plain" href={api.exportUrl} download="content.jsonl">
            <Icon name="download" />
            <span>{say('download')}</span>
          </a>
        </p>
      </section>
    </>
  );
}
