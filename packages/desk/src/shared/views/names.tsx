import { useDesk } from '../desk.ts';

/** The names that a dialog shows at most. */
const NAMED = 6;

export function Names({ names }: { names: readonly string[] }) {
  const { texts } = useDesk();
  const { say } = texts;
  return (
    <ul class="names">
      {names.slice(0, NAMED).map((name) => (
        <li key={name}>
          <bdi>{texts.name(name)}</bdi>
        </li>
      ))}
      {names.length > NAMED && <li class="hint">{say('andMore', { count: names.length - NAMED })}</li>}
    </ul>
  );
}
