import type { ComponentChildren } from 'preact';
import { Button } from '../../shared/views/button.tsx';
import { Header } from '../../shared/views/header.tsx';
import { Link } from '../../shared/views/link.tsx';
import { KINDS } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';

/** The pages of the section, as their addresses name them. */
export const PLACES = [...KINDS, 'redirects'] as const;

type Place = (typeof PLACES)[number];

interface FrameProps {
  place: Place;
  onNew: () => void;
  children: ComponentChildren;
}

/** The frame of a page of the section: the way to the others, and the button for something new. */
export function Frame({ place, onNew, children }: FrameProps) {
  const { me, texts } = useOrganise();
  const { say } = texts;
  return (
    <>
      <Header>
        <span class="space" />
        {me.may('edit') && (
          <Button kind="primary" icon="add" aria-label={say(`new_${place}`)} onClick={onNew}>
            {say(`new_${place}`)}
          </Button>
        )}
      </Header>
      <main class="main organise-main">
        <h1>{say('organise')}</h1>
        <nav class="organise-kinds" aria-label={say('kinds')}>
          {PLACES.map((name) => (
            <Link key={name} to={`organise/${name}`} aria-current={name === place ? 'page' : undefined}>
              {say(name)}
            </Link>
          ))}
        </nav>
        <p class="hint">{say(`hint_${place}`)}</p>
        {children}
      </main>
    </>
  );
}
