/**
 * The name under which `style` is read. Under its own, a browser reports each one as a violation of the
 * page's policy, although it would not apply it in a hidden document.
 */
export const STYLE = 'data-pressroom-style';

const START_TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^'">])*>/gi;

const ATTRIBUTE = /([\s"'/])([^\s"'<>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))/g;

/** Parses HTML without loading or running anything of it; each `style` is a {@link STYLE}. */
export function inertElement(html: string, document: Document): HTMLElement {
  const { body } = document.implementation.createHTMLDocument('');
  body.innerHTML = html.replaceAll(START_TAG, (tag) =>
    tag.replaceAll(ATTRIBUTE, (attribute, before, name, value) =>
      name.toLowerCase() === 'style' ? `${before}${STYLE}${value}` : attribute,
    ),
  );
  return body;
}

/** The source of an element that has been read so. */
export function sourceOf(element: Element): string {
  return element.outerHTML.replaceAll(` ${STYLE}=`, ' style=');
}
