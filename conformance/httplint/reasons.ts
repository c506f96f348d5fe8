/** Why a warning of httplint is accepted. */
export interface Reason {
  note: string;
  /** The names of the exchanges to which it applies. */
  where: RegExp;
  why: string;
}

/** The accepted warnings with their reasons; one that httplint no longer reports is a fault. */
export const REASONS: readonly Reason[] = [
  {
    note: 'HSTS_NO_SUBDOMAINS',
    where: /./,
    why: 'only the operator knows whether all subdomains use TLS; the proxy in front can say so',
  },
  {
    note: 'CC_CONFLICTING',
    where: /./,
    why: '`private` next to `no-store` is for caches that know only the former (docs/spec/wire.md)',
  },
  {
    note: 'STORE_PUBLIC_UNNECESSARY',
    where: /./,
    why: '`public` is part of the contract (docs/spec/wire.md)',
  },
  {
    note: 'CSP_UNSAFE_INLINE',
    where: / GET \/docs /,
    why: 'the reference page contains its styles inline',
  },
  {
    note: 'STATUS_BAD_REQUEST',
    where: / 400 #/,
    why: 'these requests are intentionally invalid',
  },
];
