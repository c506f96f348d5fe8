import { addressList, isListed } from '@pressroom/common/http/address-list';
import { secret } from '@pressroom/common/start/config';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { ROLES, type Role } from '../people/people-store.ts';
import { LIFETIME_S } from './store.ts';

const LOOPBACK = addressList('127.0.0.0/8, ::1');

/** https, and plain http on this machine alone: what comes over it could come from anybody. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false;
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const isLocal = host === 'localhost' || isListed(LOOPBACK, host);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
}

const provider = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'must be of a-z, 0-9 and -')
      .refine((id) => id !== 'proxy', 'must not be proxy'),
    name: z.string().min(1).max(60),
    issuer: z.string().refine(isIssuer, 'must be an https URL (http only on this machine), without a query'),
    client_id: z.string().min(1),
    client_secret: z.string().min(1).optional(),
    scope: z
      .string()
      .regex(/^(.* )?openid( .*)?$/, 'must name openid')
      .default('openid email profile'),
    role_claim: z.string().min(1).optional(),
    roles: z.record(z.string(), z.enum(ROLES)).optional(),
    redirect_uri: z
      .string()
      .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be a URL')
      .optional(),
  })
  .refine(({ role_claim, roles }) => (role_claim === undefined) === (roles === undefined), {
    message: 'role_claim and roles go together',
  })
  .refine(({ id, redirect_uri: uri }) => uri === undefined || uri.endsWith(`/api/oidc/${id}/callback`), {
    message: 'redirect_uri must end with /api/oidc/ID/callback',
  });

/** A provider of OpenID Connect, as the environment describes it. */
type ProviderSettings = z.infer<typeof provider>;

const providers = z
  .array(provider)
  .min(1, 'must have at least one provider')
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'each id must occur once');

const EXPECTED =
  'a JSON list of providers such as [{"id": "example", "name": "Example", "issuer": "https://id.example", "client_id": "…", "client_secret": "…"}]';

/** `OIDC_PROVIDERS`; what is wrong with it is said without what it holds. */
export function oidcProviders() {
  return secret(
    z.string().transform((text, context) => {
      const list = jsonOf(text);
      const result = providers.safeParse(list);
      if (result.success) return result.data;
      const [issue] = result.error.issues;
      const wrong = list === undefined ? '' : `; ${issue?.path.join('.')} ${issue?.message}`;
      context.addIssue({ code: 'custom', message: `${EXPECTED}${wrong}` });
      return z.NEVER;
    }),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ANSWER_TIMEOUT_S = 5;

/** The time that a provider's metadata is kept, in ms. */
const KEPT_MS = 60 * 60_000;

/** The largest answer of a provider, in bytes. */
const MAX_ANSWER = 2 ** 20;

/** The tolerance for a provider's clock, in s. */
export const CLOCK_S = 60;

/** The state of a login that is kept for its end. */
export interface Begun {
  state: string;
  nonce: string;
  verifier: string;
  redirect_uri: string;
}

/** A person's identity, as a provider vouches for it. */
export interface Vouched {
  issuer: string;
  subject: string;
  /** As the provider writes it, and only if it vouches for it. */
  email: string | undefined;
  name: string | undefined;
  /** Null if the provider gives roles, and none to this account; undefined if it gives none to anybody. */
  role: Role | null | undefined;
  /** The time of their login there; undefined if the provider does not say. */
  loggedInAt: Date | undefined;
  idToken: string;
}

/** A provider of OpenID Connect. */
export class OidcProvider {
  readonly #settings: ProviderSettings;
  /** In the form in which URLs are compared. */
  readonly issuer: string;
  #kept: { configuration: Promise<oidc.Configuration>; until: number } | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
    this.issuer = issuerOf(settings);
  }

  get id(): string {
    return this.#settings.id;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** The address to which the provider sends people back, for a desk at `base`, which ends with `/`. */
  redirectUri(base: string): string {
    return this.#settings.redirect_uri ?? `${base}api/oidc/${this.id}/callback`;
  }

  /**
   * Begins a login, and says where at the provider it goes on.
   *
   * @param isAnew whether the provider has to ask them who they are, whomever it knows
   */
  async begin(redirect_uri: string, isAnew: boolean): Promise<{ begun: Begun; location: string }> {
    const configuration = await this.#configuration();
    const begun = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      redirect_uri,
    };
    const location = oidc.buildAuthorizationUrl(configuration, {
      response_type: 'code',
      redirect_uri,
      scope: this.#settings.scope,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
      // Most providers say when somebody has logged in only if this is asked for.
      max_age: String(isAnew ? 0 : LIFETIME_S),
      ...(isAnew && { prompt: 'login' }),
    });
    return { begun, location: location.href };
  }

  /** Takes the answer with which a provider has sent somebody back. Throws for any that does not fit. */
  async end(begun: Begun, query: string): Promise<Vouched> {
    const configuration = await this.#configuration();
    const answer = new URL(begun.redirect_uri);
    answer.search = query;
    const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      pkceCodeVerifier: begun.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined || tokens.id_token === undefined) throw new Error('there is no ID token');
    // Some providers issue for everybody's organisation at one address.
    if (URL.parse(claims.iss)?.href !== this.issuer)
      throw new Error(`the ID token is issued by ${claims.iss}`);
    if (claims.iat > Date.now() / 1000 + CLOCK_S) throw new Error('the ID token was issued in the future');
    const { role_claim } = this.#settings;
    const isWhole = 'email' in claims && (role_claim === undefined || role_claim in claims);
    // Many providers say little in the token, and the rest where it is asked for.
    const { userinfo_endpoint } = configuration.serverMetadata();
    const info: Record<string, unknown> =
      isWhole || userinfo_endpoint === undefined
        ? {}
        : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    // One source vouches for its own e-mail address alone.
    const { email, email_verified } = 'email' in claims ? claims : info;
    const all: Record<string, unknown> = { ...info, ...claims };
    return {
      issuer: this.issuer,
      subject: claims.sub,
      email: email_verified === true && typeof email === 'string' ? email : undefined,
      name: [all.name, all.preferred_username].find((one) => typeof one === 'string'),
      role: this.#roleOf(all),
      loggedInAt:
        claims.auth_time === undefined ? undefined : new Date(Math.min(claims.auth_time * 1000, Date.now())),
      idToken: tokens.id_token,
    };
  }

  /** The provider's address for logging out; undefined if it has none. */
  async logoutUrl(idToken: string | undefined, returnTo: string): Promise<string | undefined> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const url = oidc.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: returnTo,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    });
    return url.href;
  }

  #roleOf(claims: Record<string, unknown>): Role | null | undefined {
    const { role_claim, roles } = this.#settings;
    if (role_claim === undefined || roles === undefined) return undefined;
    const given = [claims[role_claim]].flat().filter((one) => typeof one === 'string');
    const found = new Set(given.flatMap((one) => (Object.hasOwn(roles, one) ? [roles[one]] : [])));
    return ROLES.find((role) => found.has(role)) ?? null;
  }

  #configuration(): Promise<oidc.Configuration> {
    const now = performance.now();
    if (this.#kept !== undefined && now < this.#kept.until) return this.#kept.configuration;
    const configuration = this.#discover();
    this.#kept = { configuration, until: now + KEPT_MS };
    configuration.catch(() => {
      if (this.#kept?.configuration === configuration) this.#kept = undefined;
    });
    return configuration;
  }

  #discover(): Promise<oidc.Configuration> {
    const { issuer, client_id, client_secret } = this.#settings;
    return oidc.discovery(new URL(issuer), client_id, {}, authenticated(client_secret), {
      // Signatures are checked though the token comes from the provider itself.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ],
      timeout: ANSWER_TIMEOUT_S,
      [oidc.customFetch]: boundedFetch,
    });
  }
}

/** The issuer of a provider, in the form in which URLs are compared. */
export function issuerOf({ issuer }: Pick<ProviderSettings, 'issuer'>): string {
  return new URL(issuer).href;
}

/** Authenticates the client in the way that the provider takes. */
function authenticated(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  return (server, client, body, headers) => {
    // The default for a provider that does not say (OpenID Connect Discovery 1.0, section 3).
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const way = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    way(secret)(server, client, body, headers);
  };
}

/** Reads an answer to its end, within bounds: the library would read any. */
const boundedFetch: oidc.CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, ...(body != null && { body }) } as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels what is left.
    if (size > MAX_ANSWER) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
};

/** True if the provider did not answer; false for an answer that does not fit. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return true;
  if (error.cause instanceof Response) return error.cause.status >= 500;
  return error instanceof TypeError && error.message === 'fetch failed';
}
