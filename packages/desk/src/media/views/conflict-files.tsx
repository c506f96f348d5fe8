import { useEffect, useState } from 'preact/hooks';
import { Names } from '../../shared/views/names.tsx';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import type { Given } from '../state/dialogs.ts';
import { Thumbnail } from './thumbnail.tsx';

/** The pairs that are shown at most; of the others, the names. */
const SHOWN = 4;

/** Files with a name that is taken, each beside the one that has it. */
export function ConflictFiles({ folder, given }: { folder: string; given: readonly Given[] }) {
  const { api, texts } = useApp();
  const [files, setFiles] = useState<ReadonlyMap<string, Entry>>();
  const shown = given.slice(0, SHOWN);
  useEffect(() => {
    const paths = shown.flatMap(({ name, path }) => [
      `${folder}${name}`,
      ...(path === undefined ? [] : [path]),
    ]);
    api.filesAt(paths).then(setFiles, () => setFiles(new Map()));
  }, []);
  return (
    <>
      <ul class="conflicts">
        {shown.map(({ name, file, path = '' }) => (
          <li key={name}>
            <bdi>{texts.name(name)}</bdi>
            <div class="conflict-pair">
              <Version text="isThere" entry={files?.get(`${folder}${name}`)} />
              <Version text="isNew" entry={files?.get(path)} file={file} />
            </div>
          </li>
        ))}
      </ul>
      {given.length > SHOWN && <Names names={given.slice(SHOWN).map(({ name }) => name)} />}
    </>
  );
}

interface VersionProps {
  text: 'isThere' | 'isNew';
  entry: Entry | undefined;
  file?: File | undefined;
}

/** One of the two: its picture, size and date; nothing of a folder. */
function Version({ text, entry, file }: VersionProps) {
  const { texts } = useApp();
  const size = entry?.size ?? file?.size;
  const modified = entry?.modified ?? file?.lastModified;
  if (size === undefined || modified === undefined) return <span />;
  const facts = `${texts.size(size)} · ${texts.date(modified)}`;
  return (
    <div class="conflict-version">
      <span class="conflict-picture">
        {entry !== undefined ? (
          <Thumbnail entry={entry} iconSize={24} />
        ) : (
          file && <LocalPicture file={file} />
        )}
      </span>
      <span class="hint">{texts.say(text, { facts })}</span>
    </div>
  );
}

/** A picture of this device, which is not uploaded yet. */
function LocalPicture({ file }: { file: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file.type.startsWith('image/')) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url === undefined ? null : <img src={url} alt="" onError={() => setUrl(undefined)} />;
}
