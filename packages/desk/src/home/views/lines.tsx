import { useId } from 'preact/hooks';
import { Link } from '../../shared/views/link.tsx';
import { useHome } from '../home-context.ts';

/** Something that waits, and where it is. */
export interface Line {
  readonly to: string;
  readonly title: string;
  readonly facts: string;
  readonly badge?: string;
  readonly at?: string;
}

interface LinesProps {
  title: string;
  lines: readonly Line[];
  isBad?: boolean;
  /** Where there are more. */
  all?: string | undefined;
}

/** Lines under a title; nothing where there are none. */
export function Lines({ title, lines, isBad = false, all }: LinesProps) {
  const { texts } = useHome();
  const id = useId();
  if (lines.length === 0) return null;
  return (
    <section class={isBad ? 'home-group bad' : 'home-group'} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="home-lines">
        {lines.map(({ to, title: name, facts, badge, at }, index) => (
          <li key={`${to} ${index}`} class="home-line">
            <span class="home-words">
              <Link to={to} class="home-title">
                <bdi>{name}</bdi>
              </Link>
              <span class="home-facts">{facts}</span>
            </span>
            {badge !== undefined && <span class="badge">{badge}</span>}
            {at !== undefined && (
              <time class="home-time" dateTime={at} title={texts.date(Date.parse(at))}>
                {texts.ago(at)}
              </time>
            )}
          </li>
        ))}
      </ul>
      {all !== undefined && (
        <Link to={all} class="home-all">
          {texts.say('all')}
        </Link>
      )}
    </section>
  );
}
