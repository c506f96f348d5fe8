import type { Description } from './documentation.ts';
import { sendPage } from './documentation-page.ts';
import type { Server } from './server.ts';

/** What a service's front page says besides its title and description. */
export interface FrontPage {
  /** Paths that lead to something to read at once. */
  readonly examples: readonly string[];
  /** Addresses, as routes, of pages that another site should have; here they say so. */
  readonly elsewhere?: { readonly routes: readonly string[]; readonly reason: string };
}

/** Serves a short page at `/` that says what this is and where the documentation is. */
export function addFrontPage(
  app: Server,
  { title, description }: Pick<Description, 'title' | 'description'>,
  { examples, elsewhere }: FrontPage,
): void {
  const schema = { hide: true };
  const page = (paragraphs: readonly string[]) => {
    const links = ['/docs', '/openapi.json', ...examples].map(
      (path) => `<li><a href="${path}">${path}</a></li>`,
    );
    return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
  </head>
  <body>
    <h1>${title}</h1>
    ${paragraphs.map((text) => `<p>${text}</p>`).join('\n    ')}
    <ul>
      ${links.join('\n      ')}
    </ul>
  </body>
</html>
`;
  };
  const front = page([description]);
  app.get('/', { schema }, (request, reply) => sendPage(request, reply, front));
  if (elsewhere === undefined) return;
  const other = page([elsewhere.reason, description]);
  for (const route of elsewhere.routes) {
    app.get(route, { schema }, (request, reply) => sendPage(request, reply, other));
  }
}
