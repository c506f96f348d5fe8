import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PictureInputProps } from './picture-input.tsx';

/** See `PictureInput`, which few visits need: it is loaded when it is first shown. */
export function LatePictureInput(props: PictureInputProps) {
  const [View, setView] = useState<ComponentType<PictureInputProps>>();
  useEffect(() => {
    import('./picture-input.tsx').then(
      ({ PictureInput }) => setView(() => PictureInput),
      () => undefined,
    );
  }, []);
  return View === undefined ? null : <View {...props} />;
}
