import type { ComponentChildren } from 'preact';
import { useTitle } from '../../shared/desk.ts';
import { Header } from '../../shared/views/header.tsx';
import { Link } from '../../shared/views/link.tsx';
import { usePeople } from '../people-context.ts';

const PAGES = [
  ['people', 'people'],
  ['people/site', 'site'],
  ['people/news', 'newsSettings'],
  ['people/gallery', 'gallery'],
  ['people/keys', 'keys'],
  ['people/hooks', 'hooks'],
  ['people/trail', 'trail'],
] as const;

interface PageProps {
  title: string;
  hint: string;
  /** The right side of the header. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

/** A page of the section, with the way to the others. */
export function Page({ title, hint, action, children }: PageProps) {
  useTitle(title);
  return (
    <div class="page people">
      <Header>
        <span class="space" />
        {action}
      </Header>
      <main class="main people-main">
        <Pages />
        <h1>{title}</h1>
        <p class="hint">{hint}</p>
        {children}
      </main>
    </div>
  );
}

function Pages() {
  const { address, texts } = usePeople();
  const { section, rest } = address.here.value;
  const here = [section, rest].filter(Boolean).join('/');
  return (
    <nav class="people-pages" aria-label={texts.say('pagesOfPeople')}>
      {PAGES.map(([to, name]) => (
        <Link key={to} to={to} aria-current={to === here ? 'page' : undefined}>
          {texts.say(name)}
        </Link>
      ))}
    </nav>
  );
}
