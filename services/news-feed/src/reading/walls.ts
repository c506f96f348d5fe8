import type { SourceCode } from '@pressroom/common/failures/failure';

/** An answer that was not what was asked for. */
interface Refusal {
  status: number;
  /** The address that answered. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The page of an error; see `Fetched`. */
  refusal?: Uint8Array | undefined;
}

/** The most bytes of a page that are looked through. */
const MOST_BYTES = 65_536;

/** Whose challenge a page is. Not by the scripts with which the same hosts mark their ordinary pages. */
const CHALLENGES: readonly (readonly [name: string, mark: RegExp])[] = [
  [
    'Cloudflare',
    /_cf_chl_opt|cf-browser-verification|<title>Just a moment\.\.\.|<title>Attention Required! \|/,
  ],
  ['DataDome', /captcha-delivery\.com/],
  ['Imperva', /Incapsula incident ID|Pardon Our Interruption/],
  ['HUMAN', /px-captcha/],
  ['AWS WAF', /AwsWafIntegration|awsWafCookieDomainList/],
  ['DDoS-Guard', /ddos-guard\/js-challenge|check\.ddos-guard\.net/],
  ['Sucuri', /sucuri_cloudproxy_js/],
  ['Anubis', /anubis_challenge|anubis_version/],
];

/** Headers that say so without a page. */
const CHALLENGE_HEADERS: readonly (readonly [name: string, header: string, value: RegExp])[] = [
  ['Cloudflare', 'cf-mitigated', /^challenge$/i],
  ['AWS WAF', 'x-amzn-waf-action', /^(?:challenge|captcha)$/i],
];

/** Hosts and paths to which publishers send whoever has not agreed to be tracked. */
const CONSENT_HOST = /^(?:consent|guce|cmp|myprivacy|privacy-gate)\./i;
const CONSENT_PATH = /^\/(?:v\d\/)?(?:collectConsent|privacy-?gate|cookie-?wall|consent)(?:\/|$)/i;

/** The fault code of a refusal by its status alone. */
const STATUSES: Readonly<Record<number, SourceCode>> = {
  401: 'source_needs_login',
  403: 'source_forbidden',
  404: 'source_missing',
  410: 'source_missing',
  429: 'source_rate_limited',
};

/** The code of an answer with this status, where nothing else is known of it. */
export function codeOfStatus(status: number): SourceCode {
  return STATUSES[status] ?? 'source_answers_error';
}

/**
 * Names the obstacle between the newsroom and a source that did not answer with a feed: a challenge to
 * browsers, or a page that asks for consent; undefined if it is neither.
 * @param asked the address that was asked
 */
export function wallOf(answer: Refusal, asked: string): { reason: string; code: SourceCode } | undefined {
  const { status, headers, url } = answer;
  const page = Buffer.from((answer.refusal ?? answer.body).subarray(0, MOST_BYTES)).toString('latin1');
  const [challenger] =
    CHALLENGE_HEADERS.find(([, header, value]) => value.test(headers[header] ?? '')) ??
    CHALLENGES.find(([, mark]) => mark.test(page)) ??
    [];
  if (challenger !== undefined) {
    const reason = `${challenger} asks for a challenge that only a browser passes (status ${status})`;
    return { reason, code: 'source_challenge' };
  }
  const { hostname, pathname } = new URL(url);
  if (url !== asked && (CONSENT_HOST.test(hostname) || CONSENT_PATH.test(pathname))) {
    return { reason: `it leads to a page that asks for consent, at ${url}`, code: 'source_consent_wall' };
  }
  return undefined;
}
