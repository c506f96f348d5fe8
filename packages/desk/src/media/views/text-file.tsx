import { useEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';

/** The most bytes of a text that are shown. */
const MOST = 256 * 1024;

/** A text as it is written: Markdown and HTML are not carried out. */
export function TextFile({ entry, url, onBroken }: { entry: Entry; url: string; onBroken: () => void }) {
  const { texts } = useApp();
  const [text, setText] = useState<string>();
  // The address is renewed every hour, the text is not.
  const source = useRef(url);
  const broken = useRef(onBroken);
  broken.current = onBroken;
  useEffect(() => {
    const gone = new AbortController();
    readText(source.current, gone.signal).then(setText, () => {
      if (!gone.signal.aborted) broken.current();
    });
    return () => gone.abort();
  }, []);
  if (text === undefined) return null;
  return (
    <div class="stage-text">
      <textarea readOnly value={text} aria-label={texts.name(entry.name)} />
      {entry.size > MOST && <p class="hint">{texts.say('textGoesOn', { size: texts.size(MOST) })}</p>}
    </div>
  );
}

async function readText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, headers: { range: `bytes=0-${MOST - 1}` } });
  if (!response.ok) throw new Error(`the store answered with ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MOST);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes, { stream: true });
  if (text.includes('\0')) throw new Error('it is no text');
  return text;
}
