import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/views/icon.tsx';
import { Menu } from '../../shared/views/menu.tsx';
import { useApp } from '../app-context.ts';
import { chosenFiles } from '../state/dropped-files.ts';

/** Opens the browser's dialog that chooses files, or a folder, to upload. */
export function chooseUpload(what: 'files' | 'folder'): void {
  document.querySelector<HTMLInputElement>(`[data-upload="${what}"]`)?.click();
}

/** Uploads files or a folder to where the page is. */
export function UploadButton() {
  const { place, texts, uploads, visibility } = useApp();
  const { say } = texts;
  const isPublic = visibility.ofFolder(place.value.value.folder) === 'public';
  const isClean = uploads.withoutPlaces.value;
  const folder = useRef<HTMLInputElement>(null);
  // The attribute is not yet in the types of Preact.
  useEffect(() => folder.current?.setAttribute('webkitdirectory', ''), []);
  const upload = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    void uploads.add(chosenFiles(input), place.value.peek().folder);
    // The same files may be chosen again.
    input.value = '';
  };
  return (
    <>
      <Menu
        label={say('upload')}
        look="button primary"
        items={[
          {
            value: 'files',
            label: say('uploadFiles'),
            icon: 'file',
            heading: say(isPublic ? 'publicHint' : 'privateHint'),
          },
          { value: 'folder', label: say('uploadFolder'), icon: 'folder' },
          { value: 'places', label: say('withoutPlaces'), checked: isClean, heading: '' },
        ]}
        onSelect={(value) => {
          if (value === 'places') uploads.withoutPlaces.value = !isClean;
          else chooseUpload(value as 'files' | 'folder');
        }}
      >
        <Icon name="upload" />
        <span>{say('upload')}</span>
      </Menu>
      <input type="file" multiple hidden data-upload="files" onChange={upload} />
      <input ref={folder} type="file" hidden data-upload="folder" onChange={upload} />
    </>
  );
}
