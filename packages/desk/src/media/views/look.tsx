import { useEffect, useRef } from 'preact/hooks';

/** A blurred preview of a picture, from its ThumbHash in base64. */
export function Look({ thumbhash }: { thumbhash: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isGone = false;
    const draw = async () => {
      const { thumbHashToRGBA } = await import('thumbhash');
      const context = isGone ? undefined : canvas.current?.getContext('2d');
      if (context == null) return;
      const { w, h, rgba } = thumbHashToRGBA(Uint8Array.from(atob(thumbhash), (byte) => byte.charCodeAt(0)));
      Object.assign(context.canvas, { width: w, height: h });
      context.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
    };
    // Without it the tile is empty for a moment longer.
    draw().catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [thumbhash]);
  return <canvas ref={canvas} class="look" width={0} height={0} />;
}
