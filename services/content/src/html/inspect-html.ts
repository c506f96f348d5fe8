import { SAXParser, type StartTag } from 'parse5-sax-parser';
import type { Inspection, InspectionRules } from './inspection.ts';
import { TokenInspector, type TokenPlace } from './token-inspector.ts';

/**
 * Closes a tag that the article left open, wherever it was cut off, as the page around it would, so that it
 * is detected. A value that is still to come starts with a letter: a quote would open it and hide the end of
 * the tag.
 */
function restOfPage(html: string): string {
  return `${html.trimEnd().endsWith('=') ? 'x' : ''} "'>`;
}

/**
 * Inspects an article token by token with the tokenizer of the HTML standard. Every tag in the text is
 * judged, even one that a browser would ignore in one place and obey in another. So it does not matter which
 * tree a browser builds, or what happens when that tree is serialized and parsed again, and the work grows
 * only with the length of the text.
 */
export async function inspectHtml(html: string, rules: InspectionRules): Promise<Inspection> {
  const tokens = new TokenInspector(html, rules);
  const parser = new SAXParser({ sourceCodeLocationInfo: true });
  let whole = true;
  const stopAtEnough = () => {
    if (!tokens.isFull) return;
    whole = false;
    parser.stop();
  };
  parser.on('startTag', (tag) => {
    tokens.startTag(tag.tagName, tag.attrs.map(attributeOf), tag.selfClosing, placeOf(tag));
    stopAtEnough();
  });
  parser.on('endTag', (tag) => {
    tokens.endTag(tag.tagName, placeOf(tag));
    stopAtEnough();
  });
  parser.on('comment', (comment) => {
    tokens.comment(comment.text, placeOf(comment));
    stopAtEnough();
  });
  parser.on('doctype', (doctype) => {
    tokens.documentType(placeOf(doctype));
    stopAtEnough();
  });
  parser.on('text', (text) => tokens.text(text.text, placeOf(text)));
  await new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('finish', resolve);
    parser.end(html + restOfPage(html));
  });
  return tokens.end(whole);
}

/** Names such as `xlink:href` come in two parts. */
function attributeOf({ prefix, name, value }: StartTag['attrs'][number]): { name: string; value: string } {
  return { name: prefix ? `${prefix}:${name}` : name, value };
}

function placeOf({ sourceCodeLocation }: { sourceCodeLocation?: TokenPlace | null | undefined }): TokenPlace {
  if (!sourceCodeLocation) throw new Error('the parser does not report positions');
  return sourceCodeLocation;
}
