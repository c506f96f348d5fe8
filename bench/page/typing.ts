import { editorPage } from '../../test/support/editor-page.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { quantile } from '../quantile.ts';
import type { PageBench } from './browser.ts';

/** Keys that are pressed: some of them come while the article is written as HTML. */
const KEYS = 200;

/** What a key may take until it is seen, in ms, for 95 of 100 keys. */
const AIM_MS = 30;

/** Measures from a key's event to the end of the frame that shows it. */
const MEASURE = `
  window.times = [];
  addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => window.times.push(performance.now() - timeStamp);
    port2.postMessage(undefined);
  }), { capture: true });`;

/** Types at the end of an article, in the editor, and in a bare surface with the same text. */
export async function measureTyping(
  { browser }: Pick<PageBench, 'browser'>,
  words: number,
): Promise<Figure[]> {
  const site = await editorPage();
  const paragraph = `<p>${'Fifty words of a <strong>long</strong> article, one after another. '.repeat(6)}</p>`;
  const html = `<h2>Title</h2>${paragraph.repeat(Math.ceil(words / 54))}`;
  const { page, close } = await site.open(browser, html, { viewport: { width: 1280, height: 800 } });
  const type = async (surface: string) => {
    await page.locator(surface).focus();
    await page.keyboard.press('Control+End');
    await page.evaluate('times.length = 0');
    for (let key = 0; key < KEYS; key += 1)
      await page.keyboard.press(key % 6 === 5 ? 'Space' : 'a', { delay: 40 });
    return page.evaluate<number[]>('times');
  };
  await page.evaluate(MEASURE);
  const editor = await type('.rich-text-surface');
  await page.evaluate(`document.body.replaceChildren(Object.assign(document.createElement('div'),
    { contentEditable: 'true', className: 'rich-text-surface', innerHTML: ${JSON.stringify(html)} }))`);
  const bare = await type('.rich-text-surface');
  await close();
  await site.close();
  const at = { words };
  return [
    figuresOf('editor', at)('key to paint', 'p95', 'ms', quantile(editor, 0.95), AIM_MS),
    figuresOf('bare surface', at)('key to paint', 'p95', 'ms', quantile(bare, 0.95)),
  ];
}
