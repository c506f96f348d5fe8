import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { canShow } from '../state/store.ts';
import { Button } from './button.tsx';
import { type Pictures, useUpload } from './use-upload.ts';

interface PictureChoiceProps {
  pictures: Pictures;
  /** The `legend` of the whole. */
  legend: ComponentChildren;
  /** Tells its input of files from others of the page. */
  name: string;
  /** The words of its buttons, where a page has several. */
  words?: Readonly<Record<'choose' | 'upload' | 'remove', string>> | undefined;
  /** Empty without one. */
  src: string;
  alt: string;
  /** Asks for a picture of the gallery. */
  onChoose: () => void;
  /** Takes an address, or an empty one to remove the picture. */
  onTake: (src: string) => void;
  children?: ComponentChildren;
}

/** The chosen picture, if the page may show it, and the ways to another one. */
export function PictureChoice({
  pictures,
  legend,
  name,
  words,
  src,
  alt,
  onChoose,
  onTake,
  children,
}: PictureChoiceProps) {
  const { say } = pictures.texts;
  const chooser = useRef<HTMLInputElement>(null);
  const upload = useUpload(pictures);
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const picture = await upload(file);
    if (picture !== undefined) onTake(picture.src);
  };
  return (
    <fieldset
      class="picture-field"
      data-picture={name}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      {legend}
      {src !== '' && canShow(src) && <img src={src} alt={alt} />}
      <div class={src === '' ? 'picture-drop' : 'picture-buttons'}>
        {src === '' && <p class="hint for-mouse">{say('dropPicture')}</p>}
        <Button onClick={onChoose}>{words?.choose ?? say('choosePicture')}</Button>
        <Button icon="upload" onClick={() => chooser.current?.click()}>
          {words?.upload ?? say('uploadPicture')}
        </Button>
        {src !== '' && (
          <Button kind="quiet" onClick={() => onTake('')}>
            {words?.remove ?? say('removePicture')}
          </Button>
        )}
      </div>
      <input
        ref={chooser}
        hidden
        type="file"
        accept="image/*"
        data-upload={name}
        onChange={({ currentTarget }) => {
          void take(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      {children}
    </fieldset>
  );
}
