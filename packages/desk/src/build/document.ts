import { ASSETS } from './built-page.ts';

/** The names of the files that the document refers to. */
export interface Entries {
  readonly section: string;
  readonly script: string;
  readonly style: string;
  readonly styles: readonly { readonly name: string; readonly file: string }[];
  readonly icon: string;
  /** Scripts without which the section is not shown. */
  readonly preloaded: readonly string[];
}

/**
 * The HTML of a section. All URLs are relative, so it works below any path at which a proxy serves it. The
 * styles of other sections are loaded when the script asks for them: browsers fetch those of a disabled link.
 */
export function pageDocument({ section, script, style, styles, icon, preloaded }: Entries): string {
  const assets = `{base}${ASSETS}`;
  const own = styles.map(({ name, file }) => {
    const from = name === section ? `href="${assets}/${file}"` : `data-href="${ASSETS}/${file}"`;
    return `    <link rel="stylesheet" ${from} data-section="${name}">\n`;
  });
  const preloads = preloaded.map((name) => `    <link rel="modulepreload" href="${assets}/${name}">\n`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Pressroom</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="pressroom-base" content="{base}">
    <meta name="pressroom-store" content="{store}">
    <link rel="icon" href="${assets}/${icon}" type="image/svg+xml">
    <link rel="stylesheet" href="${assets}/${style}">
${own.join('')}${preloads.join('')}    <script type="module" src="${assets}/${script}"></script>
  </head>
  <body>
    <div id="page"></div>
    <noscript>The desk needs JavaScript. The API below it is described at <a href="{base}docs">/docs</a>.</noscript>
  </body>
</html>
`;
}
