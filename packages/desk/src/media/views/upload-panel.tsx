import { useRef, useState } from 'preact/hooks';
import { ApiProblem } from '../../shared/api/problem.ts';
import { visible } from '../../shared/text/visible.ts';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { problemWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import { chosenFiles } from '../state/dropped-files.ts';
import { nameOf, parentOf } from '../state/place.ts';
import type { Upload } from '../state/upload.ts';
import { statusOf } from '../state/upload-problem.ts';

/** The lines of files that the panel shows at most. */
const SHOWN = 100;

/** The files that go up: all together, and one by one. */
export function UploadPanel() {
  const { texts, uploads } = useApp();
  const { say } = texts;
  const [isOpen, setOpen] = useState(true);
  const list = uploads.list.value;
  const { total, uploaded } = uploads.progress.value;
  const active = list.filter(({ state }) => state === 'sending' || state === 'waiting');
  const isPaused = active.length === 0 && list.some(({ state }) => state === 'paused');
  const rate = uploads.rate.value;
  return (
    <section class="uploads" aria-label={say('uploads')}>
      <header class="uploads-head">
        <p role="status">{heading(list, say)}</p>
        {active.length > 0 && (
          <IconButton icon="pause" label={say('pauseAll')} onClick={() => void uploads.pauseAll()} />
        )}
        {isPaused && (
          <IconButton icon="resume" label={say('resumeAll')} onClick={() => void uploads.resumeAll()} />
        )}
        <IconButton
          icon={isOpen ? 'down' : 'up'}
          label={say('showDetails')}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <IconButton
          icon="close"
          label={say(active.length > 0 || isPaused ? 'cancelAll' : 'dismiss')}
          onClick={() => void uploads.cancelAll()}
        />
      </header>
      <progress aria-label={say('uploads')} max={Math.max(total, 1)} value={uploaded} />
      {active.length > 0 && (
        <p class="uploads-facts">
          <span>{say('progressOf', { done: texts.size(uploaded), total: texts.size(total) })}</span>
          {rate > 0 && <span>{say('rate', { rate: texts.size(rate) })}</span>}
          {rate > 0 && <span>{say('timeLeft', { time: texts.duration((total - uploaded) / rate) })}</span>}
        </p>
      )}
      {isOpen && (
        <ul class="uploads-list">
          {shownOf(list).map((upload) => (
            <UploadLine key={upload.id} upload={upload} />
          ))}
          {list.length > SHOWN && <li class="hint">{say('andMore', { count: list.length - SHOWN })}</li>}
        </ul>
      )}
    </section>
  );
}

/** Uploads that a person can do something about come first, then those that move. */
function shownOf(list: readonly Upload[]): readonly Upload[] {
  if (list.length <= SHOWN) return list;
  const order = ['failed', 'unfinished', 'sending', 'paused', 'waiting', 'done'] as const;
  return order.flatMap((wanted) => list.filter(({ state }) => state === wanted)).slice(0, SHOWN);
}

function heading(list: readonly Upload[], say: ReturnType<typeof useApp>['texts']['say']): string {
  const count = (...states: Upload['state'][]) => list.filter(({ state }) => states.includes(state)).length;
  const active = count('sending', 'waiting');
  if (active > 0) return say('uploading', { count: active });
  if (count('paused') > 0) return say('uploadsPaused');
  if (count('failed') > 0) return say('uploadFailed', { count: count('failed') });
  if (count('unfinished') > 0) return say('unfinished');
  return say('uploadDone', { count: count('done') });
}

function UploadLine({ upload }: { upload: Upload }) {
  const { texts, uploads, visibility } = useApp();
  const { say } = texts;
  const { key, size, uploaded, state, problem } = upload;
  const name = texts.name(nameOf(key));
  const facts = {
    waiting: say('waiting'),
    sending: `${Math.floor((uploaded / Math.max(size, 1)) * 100)} %`,
    paused: say('paused'),
    done: say('done'),
    failed: problemOf(problem, say),
    unfinished: say('chooseAgain', { name }),
  };
  return (
    <li class={`upload ${state}`}>
      <div class="upload-words">
        <bdi class="upload-name" title={visible(key)}>
          {name}
        </bdi>
        <span class="hint">
          {texts.size(size)} · {facts[state]} ·{' '}
          {say(visibility.ofFolder(parentOf(key)) === 'public' ? 'public' : 'private')}
        </span>
        {(state === 'sending' || state === 'paused') && (
          <progress aria-label={name} max={Math.max(size, 1)} value={uploaded} />
        )}
      </div>
      {state === 'done' && <Icon name="done" size={16} />}
      {state === 'sending' && (
        <IconButton
          icon="pause"
          label={say('pauseOne', { name })}
          onClick={() => void uploads.pause(upload)}
        />
      )}
      {state === 'paused' && (
        <IconButton
          icon="resume"
          label={say('resumeOne', { name })}
          onClick={() => void uploads.pause(upload)}
        />
      )}
      {state === 'failed' && (
        <IconButton
          icon="retry"
          label={say('retryOne', { name })}
          onClick={() => void uploads.retry(upload)}
        />
      )}
      {state === 'unfinished' && <ChooseAgain upload={upload} />}
      {state !== 'done' && (
        <IconButton
          icon="close"
          label={say('cancelOne', { name })}
          onClick={() => void uploads.cancel(upload)}
        />
      )}
    </li>
  );
}

/** Why a file was not uploaded. */
function problemOf(problem: unknown, say: ReturnType<typeof useApp>['texts']['say']): string {
  if (problem instanceof ApiProblem) return problemWords(problem, say);
  const status = statusOf(problem);
  if (status === 0) return say(navigator.onLine ? 'storeUnavailable' : 'offline');
  return status === undefined ? say('unexpected') : say('storeRefused', { status });
}

/** The browser has not kept the file: the person shows it again. */
function ChooseAgain({ upload: { key } }: { upload: Upload }) {
  const { texts, uploads } = useApp();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind="quiet" onClick={() => input.current?.click()}>
        {texts.say('choose')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ currentTarget }) => void uploads.add(chosenFiles(currentTarget), parentOf(key))}
      />
    </>
  );
}
