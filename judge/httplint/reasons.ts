/** Why a warning of httplint stands. */
export interface Reason {
  /** The class of the note. */
  note: string;
  /** The exchanges that it holds for, by their names. */
  where: RegExp;
  /** Why it is left as it is. */
  why: string;
}

/** The warnings that stand, each with its reason; one that httplint no longer gives is a fault. */
export const REASONS: readonly Reason[] = [
  {
    note: 'HSTS_NO_SUBDOMAINS',
    where: /./,
    why: "whether all subdomains speak TLS is the operator's to know: the proxy in front can say so",
  },
  {
    note: 'CC_CONFLICTING',
    where: /./,
    why: '`private` beside `no-store` says the same to caches that know only the former (docs/spec/wire.md)',
  },
  {
    note: 'STORE_PUBLIC_UNNECESSARY',
    where: /./,
    why: '`public` is part of the contract (docs/spec/wire.md)',
  },
  {
    note: 'CSP_UNSAFE_INLINE',
    where: / GET \/docs /,
    why: 'the page for people brings its script along in itself',
  },
  {
    note: 'FRESHNESS_HEURISTIC',
    where: / GET \/docs /,
    why: 'the page changes with the version alone, and has an entity tag to ask by',
  },
  {
    note: 'STATUS_BAD_REQUEST',
    where: / 400 #/,
    why: 'these requests are bad on purpose',
  },
];
