import { useEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';

/** The longer side of a poster, in px. */
const SIDE = 480;

/** The time of a video's poster, in s: many begin black. */
const POSTER_S = 0.5;

/** A picture of a video, which the browser draws: it reads no more of it than that needs. */
export function Poster({ entry: { path }, onBroken }: { entry: Entry; onBroken: () => void }) {
  const { api } = useApp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  const broken = useRef(onBroken);
  broken.current = onBroken;
  useEffect(() => {
    const video = document.createElement('video');
    video.muted = true;
    video.preload = 'metadata';
    // Whatever is still coming is not wanted, nor is what this says.
    const release = () => {
      video.onerror = null;
      video.onloadeddata = null;
      video.removeAttribute('src');
      video.load();
    };
    video.onerror = () => broken.current();
    video.onloadeddata = () => {
      const { videoWidth: width, videoHeight: height } = video;
      const scale = Math.min(1, SIDE / Math.max(width, height));
      const target = canvas.current;
      if (target !== null && width > 0) {
        target.width = Math.round(width * scale);
        target.height = Math.round(height * scale);
        target.getContext('2d')?.drawImage(video, 0, 0, target.width, target.height);
        setDrawn(true);
      } else broken.current();
      release();
    };
    let isGone = false;
    api.sign([path]).then(
      (urls) => {
        if (!isGone) video.src = `${urls[path]}#t=${POSTER_S}`;
      },
      () => broken.current(),
    );
    return () => {
      isGone = true;
      release();
    };
  }, [api, path]);
  return <canvas ref={canvas} class="poster" hidden={!isDrawn} />;
}
