import { useDesk } from '../../shared/desk.ts';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { Picture } from '../editor/editing/figures.ts';
import { PictureError, uploadPicture } from '../state/pictures.ts';

/**
 * Uploads a picture to where readers can see it: a public folder, or the first one. Undefined, and said why,
 * if that did not work.
 */
export function useUpload(): (
  file: File,
  folder?: string,
  onFailed?: (words: string) => void,
) => Promise<Picture | undefined> {
  const { address, gallery, notices, service, site, texts } = useApp();
  // The gallery is asked, not the articles.
  const { texts: shared } = useDesk();
  return async (file, asked, onFailed = (words) => notices.failed(words)) => {
    const folder = asked ?? site.peek()?.publicPrefixes[0];
    try {
      const picture = await uploadPicture(service, gallery, { base: address.base, folder }, file);
      notices.settle();
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
