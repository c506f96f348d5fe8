import { useDesk } from '../../shared/desk.ts';
import { errorWords } from '../../shared/views/problem-view.tsx';
import { useApp } from '../app-context.ts';
import type { Picture } from '../editor/editing/figures.ts';
import { PictureError, uploadPicture } from '../state/pictures.ts';

/** Uploads a picture to where readers can see it; undefined, and said why, if that did not work. */
export function useUpload(): (file: File) => Promise<Picture | undefined> {
  const { address, gallery, notices, service, site, texts } = useApp();
  // The gallery is asked, not the articles.
  const { texts: shared } = useDesk();
  return async (file) => {
    const [folder] = site.peek()?.publicPrefixes ?? [];
    try {
      return await uploadPicture(service, gallery, { base: address.base, folder }, file);
    } catch (error) {
      const words =
        error instanceof PictureError
          ? texts.say(error.fault)
          : `${texts.say('notUploaded')} ${errorWords(error, shared.say)}`;
      notices.failed(words);
      return undefined;
    }
  };
}
