import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { send } from './http.ts';

/** A desk's registration at the provider. */
export interface Client {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
}

/** Claims of somebody's account at a provider. */
type Claims = Record<string, unknown>;

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** `oidc-provider` on a port of its own. */
export interface RealProvider {
  client: Client;
  /** Whoever logs in there, by what they type as their login. */
  accounts: Map<string, Claims>;
  close: () => Promise<void>;
}

/** Starts a provider that sends people back to wherever they came from. */
export async function startProvider(id = 'real'): Promise<RealProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  const issuer = await listening(server);
  const accounts = new Map<string, Claims>();
  const client = { client_id: 'pressroom', client_secret: 'the secret of the desk' };
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`http://127.0.0.1/api/oidc/${id}/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    pkce: { required: () => true },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts.get(accountId) }),
    }),
  });
  // The desk's port is not known before it knows the provider.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => uri.endsWith(`/api/oidc/${id}/callback`);
  provider.Client.prototype.postLogoutRedirectUriAllowed = (uri: string) => uri.endsWith('/desk/');
  handle = provider.callback();
  return {
    client: { id, name: 'The Real One', issuer, ...client },
    accounts,
    close: () => closed(server),
  };
}

/** Logs in at a real provider as a browser would, and returns the address to which it sends it back. */
export async function signInAt(location: string, login: string): Promise<string> {
  const jar = new Map<string, string>();
  let next = location;
  let form: string | undefined;
  for (;;) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status, headers, text } = await send(next, {
      headers: { cookie, ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(form !== undefined && { method: 'POST', raw: form }),
    });
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    form = undefined;
    const to = headers.get('location');
    if (to !== null) {
      const { href, pathname } = new URL(to, next);
      if (/^\/(api\/oidc|desk)\//.test(pathname)) return href;
      next = href;
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
    const action = /action="([^"]+)"/.exec(text)?.[1];
    if (prompt === undefined || action === undefined) throw new Error(`the provider says ${status}: ${text}`);
    form = new URLSearchParams({ prompt, login, password: 'any' }).toString();
    next = new URL(action, next).href;
  }
}

/** A provider that says whatever a test wants it to. */
export class HostileProvider {
  readonly #id: string;
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  /** The bodies that came to the token endpoint. */
  readonly asked: URLSearchParams[] = [];
  issuer = '';
  /** Added to what the provider says about itself. */
  metadata: object = {};
  keys: JWK[] = [];
  /** The private key of the first of `keys`. */
  key: CryptoKey | undefined;
  /** The answer of the token endpoint. */
  token: (response: ServerResponse) => unknown = (response) => response.writeHead(500).end();
  /** Answers any request before the rest does, where it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;

  constructor(id: string) {
    this.#id = id;
  }

  async start(): Promise<this> {
    this.issuer = await listening(this.#server);
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    this.key = privateKey;
    this.keys = [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' }];
    return this;
  }

  get client(): Client {
    const { issuer } = this;
    return { id: this.#id, name: 'The Other', issuer, client_id: 'desk', client_secret: 'hidden' };
  }

  /** An ID token as it has to be; `claims` replace those of it, undefined ones are left out. */
  async idToken(nonce: string, claims: JWTPayload = {}, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const whole = { iss: this.issuer, aud: 'desk', sub: 'one', nonce, iat: now, exp: now + 300, ...claims };
    const payload = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
    const signed = new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header });
    return signed.sign(this.key as CryptoKey);
  }

  /** Answers the next codes with this ID token. */
  gives(idToken: string, more: object = {}): void {
    this.token = (response) =>
      answer(response, { access_token: 'access', token_type: 'Bearer', id_token: idToken, ...more });
  }

  close(): Promise<void> {
    return closed(this.#server);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { issuer } = this;
    if (this.intercept(request, response)) return;
    if (request.url === '/.well-known/openid-configuration') {
      answer(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...this.metadata,
      });
    } else if (request.url === '/keys') answer(response, { keys: this.keys });
    else if (request.url === '/token') {
      this.asked.push(new URLSearchParams(await text(request)));
      this.token(response);
    } else response.writeHead(404).end();
  }
}

export function answer(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
