import { useRef } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { useUpload } from './use-upload.ts';

/** The picture with which an article is announced: from the gallery, or uploaded to it. */
export function FeaturedImage({
  open,
  onAsk,
}: {
  open: OpenArticle;
  onAsk: (question: ArticleQuestion) => void;
}) {
  const { say } = useApp().texts;
  const { featuredImage, altText } = open.fields.value;
  const chooser = useRef<HTMLInputElement>(null);
  const upload = useUpload();
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const picture = await upload(file);
    if (picture !== undefined) open.edit({ featuredImage: picture.src });
  };
  return (
    <fieldset
      class="featured"
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <legend>{say('featuredImage')}</legend>
      {featuredImage !== '' && <img src={featuredImage} alt={altText} />}
      <div class={featuredImage === '' ? 'featured-empty' : 'featured-buttons'}>
        {featuredImage === '' && <p class="hint">{say('dropPicture')}</p>}
        <Button
          onClick={() =>
            onAsk({ kind: 'picture', take: (picture) => open.edit({ featuredImage: picture.src }) })
          }
        >
          {say('choosePicture')}
        </Button>
        <Button icon="upload" onClick={() => chooser.current?.click()}>
          {say('uploadPicture')}
        </Button>
        {featuredImage !== '' && (
          <Button kind="quiet" onClick={() => open.edit({ featuredImage: '', altText: '' })}>
            {say('removePicture')}
          </Button>
        )}
      </div>
      <input
        ref={chooser}
        hidden
        type="file"
        accept="image/*"
        data-upload="featured"
        onChange={({ currentTarget }) => {
          void take(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      {featuredImage !== '' && (
        <label class="field">
          <span>{say('altText')}</span>
          <input
            value={altText}
            maxLength={255}
            onInput={({ currentTarget }) => open.edit({ altText: currentTarget.value })}
          />
          <span class="hint">{say('altHint')}</span>
        </label>
      )}
    </fieldset>
  );
}
