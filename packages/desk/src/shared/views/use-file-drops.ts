import { useEffect, useRef, useState } from 'preact/hooks';

/** The type of what is dragged within the page. */
export const DRAGGED = 'application/x-pressroom-paths';

/** Takes files that are dropped anywhere; true while some are over the page. */
export function useFileDrops(take: (data: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const hasFiles = (data: DataTransfer | null) =>
      data?.types.includes('Files') === true && !data.types.includes(DRAGGED);
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      const { dataTransfer } = event;
      if (dataTransfer === null || !hasFiles(dataTransfer)) return;
      event.preventDefault();
      latest.current(dataTransfer);
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}
