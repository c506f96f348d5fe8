import type { GalleryApi } from '../../media/api/gallery.ts';
import { useDesk } from '../desk.ts';
import { type ChosenPicture, PictureError, uploadPicture } from '../state/upload-picture.ts';
import type { picturesEn } from '../text/pictures-en.ts';
import type { SharedTextName, Texts } from '../text/texts.ts';
import { errorWords } from './problem-view.tsx';

export type PictureTextName = SharedTextName | keyof typeof picturesEn;

/** What a section needs to let somebody choose a picture of the gallery. */
export interface Pictures {
  readonly gallery: GalleryApi;
  /** Folders of the gallery that anybody may read. */
  readonly publicPrefixes: readonly string[];
  readonly texts: Texts<PictureTextName>;
  /** Says why a picture was not uploaded, or that it is cut off; undefined once a whole one was. */
  readonly tell: (words: string | undefined) => void;
}

/**
 * Uploads a picture to where readers can see it: a public folder, or the first one. Undefined, and said why,
 * if that did not work.
 */
export function useUpload({
  gallery,
  publicPrefixes,
  texts,
  tell,
}: Pictures): (
  file: File,
  folder?: string,
  onFailed?: (words: string) => void,
) => Promise<ChosenPicture | undefined> {
  const { address, service, texts: shared } = useDesk();
  return async (file, folder = publicPrefixes[0], onFailed = tell) => {
    try {
      const picture = await uploadPicture(service, gallery, { base: address.base, folder }, file);
      tell(picture.isCutOff ? texts.say('cutOff') : undefined);
      return picture;
    } catch (error) {
      const words =
        error instanceof PictureError
          ? texts.say(error.fault)
          : `${texts.say('notUploaded')} ${errorWords(error, shared.say)}`;
      onFailed(words);
      return undefined;
    }
  };
}
