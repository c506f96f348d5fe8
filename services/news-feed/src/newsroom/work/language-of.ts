import type { Submission } from '../editorial/editor.ts';

type Detector = Awaited<typeof import('eld/extrasmall')>['eld'];

/** Loaded with the first entry: it takes 90 MiB. */
let detector: Promise<{ detect: Detector['detect']; known: ReadonlySet<string> }> | undefined;

/** Shorter texts are taken for many languages, in bytes: a Chinese character says as much as a syllable. */
const LEAST_BYTES = 40;

/** The most characters that are looked at. */
const MOST = 2000;

/** By how much the likeliest language must be ahead of the next one, times the bytes of the text. */
const LEAST_LEAD = 2;

/**
 * The language of an article (BCP 47): the `declared` one, unless its text is surely in another one, since
 * many feeds declare that of the program that writes them; null if nothing says it.
 */
export async function languageOf(
  declared: string | null,
  { title, summary, text }: Pick<Submission, 'title' | 'summary' | 'text'>,
): Promise<string | null> {
  detector ??= loadDetector();
  const { detect, known } = await detector;
  const words = `${title}\n${summary ?? ''}\n${text ?? ''}`.slice(0, MOST);
  const bytes = Buffer.byteLength(words);
  if (bytes < LEAST_BYTES) return declared;
  const found = detect(words);
  const [best = 0, next = 0] = Object.values(found.getScores()).sort((a, b) => b - a);
  if (!found.isReliable() || best - next < LEAST_LEAD / bytes) return declared;
  const [primary = ''] = declared?.split('-') ?? [];
  // It takes a language that it does not know for a related one.
  const isOther = found.language !== primary && (declared === null || known.has(primary));
  return isOther ? found.language : declared;
}

async function loadDetector() {
  const { eld } = await import('eld/extrasmall');
  return { detect: eld.detect, known: new Set(Object.values(eld.info().Languages)) };
}
