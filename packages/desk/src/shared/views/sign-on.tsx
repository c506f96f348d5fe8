import { useEffect, useState } from 'preact/hooks';
import { NO_WAYS, type Ways } from '../api/service.ts';
import { useDesk } from '../desk.ts';
import type { Say, SharedTextName } from '../text/texts.ts';

const REASONS: Readonly<Record<string, SharedTextName>> = {
  answer_refused: 'signOnRefused',
  begin_again: 'signOnAgain',
  busy: 'signOnBusy',
  cancelled: 'signOnCancelled',
  confirmed: 'signOnConfirmed',
  factor_kept: 'problem_factor_kept',
  invitation_not_found: 'signOnInvitationOver',
  linked: 'signOnLinked',
  linked_elsewhere: 'signOnElsewhere',
  no_role: 'signOnNoRole',
  not_asked_again: 'signOnNotAsked',
  other_account: 'signOnOther',
  provider_unavailable: 'signOnAway',
  switched_off: 'signOnSwitchedOff',
  unknown_person: 'signOnUnknown',
  unverified_email: 'signOnUnverified',
};

export function signOnWords(code: string, say: Say): string {
  return say(REASONS[code] ?? 'notNow');
}

/** The ways to log in, besides a passkey. */
export function useWays(): Ways {
  const { service } = useDesk();
  const [ways, setWays] = useState(NO_WAYS);
  useEffect(() => {
    let isCurrent = true;
    void service.ways().then((found) => isCurrent && setWays(found));
    return () => {
      isCurrent = false;
    };
  }, [service]);
  return ways;
}

interface SignOnProps {
  ways: Ways;
  /** True if the window has unsaved work, which is kept. */
  isKept: boolean;
  /** Goes on as whom the proxy in front has let in. */
  onProxy: () => void;
}

/** The ways in besides the password. */
export function SignOn({ ways: { providers, proxy }, isKept, onProxy }: SignOnProps) {
  const { address, texts } = useDesk();
  const { say } = texts;
  const here = location.pathname.slice(new URL('desk/', address.base).pathname.length);
  const to = encodeURIComponent(`${here}${location.search}`);
  if (providers.length === 0 && proxy === null) return null;
  return (
    <div class="sign-on">
      {proxy !== null && (
        <button type="button" class="button plain wide" onClick={onProxy}>
          <span>{say('goOnAs', { email: proxy })}</span>
        </button>
      )}
      {providers.map(({ id, name }) => (
        <a
          key={id}
          class="button plain wide"
          href={new URL(`api/oidc/${id}/login?to=${to}`, address.base).href}
          {...(isKept && { target: '_blank', rel: 'noopener' })}
        >
          {say('signInWith', { name })}
        </a>
      ))}
      {isKept && providers.length > 0 && <p class="hint">{say('signInElsewhere')}</p>}
    </div>
  );
}
