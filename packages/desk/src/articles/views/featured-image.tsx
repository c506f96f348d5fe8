import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { MOST_ALT, writtenAlt } from '../state/pictures.ts';
import type { TextName } from '../text/texts.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { useUpload } from './use-upload.ts';

/** The picture with which an article is announced. */
export function FeaturedImage({ open, onAsk }: Pick<PictureFieldProps, 'onAsk'> & { open: OpenArticle }) {
  const { address, texts } = useApp();
  const { say } = texts;
  const { featuredImage, altText } = open.fields.value;
  const take = (src: string) => {
    const known = writtenAlt(open.fields.peek(), address.base, src);
    open.edit({ featuredImage: src, altText: src === '' ? '' : known || open.fields.peek().altText });
  };
  return (
    <PictureField
      name="featured"
      words={{ choose: 'choosePicture', upload: 'uploadPicture', remove: 'removePicture' }}
      label={say('field_featured_image')}
      src={featuredImage}
      alt={altText}
      onAsk={onAsk}
      onTake={take}
    >
      {featuredImage !== '' && (
        <label class="field">
          <span>{say('field_alt_text')}</span>
          <input
            value={altText}
            maxLength={MOST_ALT}
            onInput={({ currentTarget }) => open.edit({ altText: currentTarget.value })}
          />
          <span class="hint">{say('altHint')}</span>
        </label>
      )}
    </PictureField>
  );
}

interface PictureFieldProps {
  name: 'featured' | 'social';
  /** The buttons of each have words of their own. */
  words: Readonly<Record<'choose' | 'upload' | 'remove', TextName>>;
  label: string;
  /** Empty without one. */
  src: string;
  alt: string;
  onAsk: (question: ArticleQuestion) => void;
  /** Takes an address, or an empty one to remove the picture. */
  onTake: (src: string) => void;
  children?: ComponentChildren;
}

/** A picture from the gallery, or uploaded to it. */
export function PictureField({ name, words, label, src, alt, onAsk, onTake, children }: PictureFieldProps) {
  const { say } = useApp().texts;
  const chooser = useRef<HTMLInputElement>(null);
  const upload = useUpload();
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const picture = await upload(file);
    if (picture !== undefined) onTake(picture.src);
  };
  return (
    <fieldset
      class="featured"
      data-picture={name}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <legend>{label}</legend>
      {src !== '' && <img src={src} alt={alt} />}
      <div class={src === '' ? 'featured-empty' : 'featured-buttons'}>
        {src === '' && <p class="hint">{say('dropPicture')}</p>}
        <Button onClick={() => onAsk({ kind: 'picture', take: (picture) => onTake(picture.src) })}>
          {say(words.choose)}
        </Button>
        <Button icon="upload" onClick={() => chooser.current?.click()}>
          {say(words.upload)}
        </Button>
        {src !== '' && (
          <Button kind="quiet" onClick={() => onTake('')}>
            {say(words.remove)}
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
