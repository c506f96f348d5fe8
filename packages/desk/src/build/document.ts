import { ASSETS } from './built-page.ts';

/** The names of the files that the document refers to. */
export interface Entries {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  /** Scripts that the first one imports. */
  readonly preloaded: readonly string[];
}

/**
 * The page's HTML. All URLs are relative, so it works below any path at which a proxy serves it; the path has
 * to end with `/`.
 */
export function pageDocument({ script, style, icon, preloaded }: Entries): string {
  const preloads = preloaded.map((name) => `    <link rel="modulepreload" href="${ASSETS}/${name}">\n`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Gallery</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="pressroom-store" content="{store}">
    <link rel="icon" href="${ASSETS}/${icon}" type="image/svg+xml">
    <link rel="stylesheet" href="${ASSETS}/${style}">
${preloads.join('')}    <script type="module" src="${ASSETS}/${script}"></script>
  </head>
  <body>
    <div id="page"></div>
    <noscript>The gallery needs JavaScript. Its API is described at <a href="docs">/docs</a>.</noscript>
  </body>
</html>
`;
}
