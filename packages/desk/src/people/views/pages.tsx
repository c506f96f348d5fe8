import { Link } from '../../shared/views/link.tsx';
import { usePeople } from '../people-context.ts';

const PAGES = [
  ['people', 'people'],
  ['people/site', 'site'],
  ['people/keys', 'keys'],
  ['people/hooks', 'hooks'],
  ['people/trail', 'trail'],
] as const;

/** The way between who is here, and what was done. */
export function Pages() {
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
