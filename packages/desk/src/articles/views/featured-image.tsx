import type { ComponentChildren } from 'preact';
import { PictureChoice } from '../../shared/views/picture-choice.tsx';
import { useApp } from '../app-context.ts';
import type { OpenArticle } from '../state/open-article.ts';
import { MOST_ALT, writtenAlt } from '../state/pictures.ts';
import type { TextName } from '../text/texts.ts';
import type { ArticleQuestion } from './article-dialogs.tsx';
import { usePictures } from './use-pictures.ts';

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
  words?: Readonly<Record<'choose' | 'upload' | 'remove', TextName>>;
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
  const own = words && { choose: say(words.choose), upload: say(words.upload), remove: say(words.remove) };
  return (
    <PictureChoice
      pictures={usePictures()}
      legend={<legend>{label}</legend>}
      words={own}
      onChoose={() => onAsk({ kind: 'picture', take: (picture) => onTake(picture.src) })}
      {...{ name, src, alt, onTake }}
    >
      {children}
    </PictureChoice>
  );
}
