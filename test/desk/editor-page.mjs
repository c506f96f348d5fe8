/** The script of the page of `test/support/editor-page.ts`: the editor alone, which keeps what it reports. */
import { h, render } from 'preact';
import { canRepresent } from '../../packages/desk/src/articles/editor/can-represent.ts';
import { RichText } from '../../packages/desk/src/articles/editor/rich-text.tsx';
import { editorEn } from '../../packages/desk/src/articles/editor/text/en.ts';
import { EDITOR_SHORTCUTS } from '../../packages/desk/src/articles/editor/text/shortcuts.ts';
import { editorZh } from '../../packages/desk/src/articles/editor/text/zh.ts';
import { en } from '../../packages/desk/src/shared/text/en.ts';
import { zh } from '../../packages/desk/src/shared/text/zh.ts';

const texts = navigator.language.startsWith('zh') ? { ...zh, ...editorZh } : { ...en, ...editorEn };

function say(name, values = {}) {
  return texts[name].replaceAll(/\{\{(\w+)\}\}/g, (_all, key) => values[key]);
}

const picture = { src: `${location.origin}/picture.jpg`, alt: '', width: 320, height: 240 };

/** Opens an article in the editor. */
function openArticle(html) {
  const props = {
    html,
    heard: reported.length,
    texts: { say },
    label: 'Article',
    onChange: (written) => {
      reported.push(written);
      const next = window.nextOf?.(written);
      if (next !== undefined) queueMicrotask(() => openArticle(next));
    },
    onLength: (length) => Object.assign(window, { textLength: length }),
    pickPicture: async () => picture,
    ...(window.findEmbed && { findEmbed: window.findEmbed }),
    uploadPicture: async (file) => ({
      ...picture,
      src: `${location.origin}/${file.name}`,
      takeBack: () => takenBack.push(file.name),
    }),
  };
  render(h(RichText, props), document.getElementById('page'));
}

/** Leaves the article. */
function closeArticle() {
  render(null, document.getElementById('page'));
}

const reported = [];
const takenBack = [];
const violations = [];
const shortcuts = EDITOR_SHORTCUTS.map(([keys, text]) => [keys, say(text)]);
Object.assign(window, {
  canRepresent,
  closeArticle,
  openArticle,
  reported,
  shortcuts,
  takenBack,
  violations,
});
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`);
});
