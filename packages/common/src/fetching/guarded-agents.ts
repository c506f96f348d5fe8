import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { isPublicAddress, literalAddress } from './public-address.ts';

/** The time limits of {@link GuardedAgents}, in ms, and how they find hosts. */
interface GuardedAgentsOptions {
  connectMs: number;
  headersMs: number;
  /** Between two chunks of a body. */
  pauseMs: number;
  /** The most bytes of an answer's headers. */
  mostHeaderBytes?: number;
  /** Resolves names; the system's resolver if undefined. */
  resolve?: Resolve | undefined;
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string | undefined;
}

/** Default limit of an answer's headers: sites send policies and cookies beyond the 16 KiB of Node. */
const MOST_HEADER_BYTES = 128 * 1024;

export interface GuardedTarget {
  url: URL;
  /** True to allow the host an address that is not public. */
  mayBePrivate: boolean;
  /**
   * The proxy to ask through (HTTP CONNECT), an http or https URL with its login; it may be anywhere, and
   * trusts the system's certificates alone.
   */
  proxy?: URL | undefined;
}

type GuardedRequest = Omit<Dispatcher.RequestOptions, 'origin' | 'path'>;

/** The redirects that are followed. */
export interface Redirects {
  /** The most of them. */
  most: number;
  /** The target of one, whose `Location` may be relative to `from`; throws if that may not be asked. */
  next: (location: string, from: URL) => GuardedTarget;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Connections to hosts that others name: to public addresses, or to any where a target says so. */
export class GuardedAgents {
  readonly #public: Agent;
  readonly #private: Agent;
  /** By the address of the proxy, and whether its targets may be private. */
  readonly #proxies = new Map<string, ProxyAgent>();
  readonly #openProxy: (proxy: URL, mayBePrivate: boolean) => ProxyAgent;

  constructor({
    connectMs,
    headersMs,
    pauseMs,
    mostHeaderBytes = MOST_HEADER_BYTES,
    resolve,
    ca,
  }: GuardedAgentsOptions) {
    const find = resolve ?? ((hostname: string) => lookup(hostname, { all: true }));
    const connect = { timeout: connectMs, ...(ca !== undefined && { ca }) };
    const shared = {
      allowH2: false,
      maxHeaderSize: mostHeaderBytes,
      bodyTimeout: pauseMs,
      headersTimeout: headersMs,
    };
    this.#public = new Agent({ ...shared, connect: { ...connect, lookup: checkedLookup(find) } });
    this.#private = new Agent({ ...shared, connect: { ...connect, lookup: uncheckedLookup(find) } });
    this.#openProxy = ({ href: uri }, mayBePrivate) =>
      new ProxyAgent({
        ...shared,
        uri,
        proxyTunnel: true,
        connectTimeout: connectMs,
        clientFactory: (origin, options: ProxyTarget) =>
          new Pool(origin, { ...options, connect: toProxy(options.connect), headersTimeout: connectMs }),
        factory: (origin, options: ProxyTarget) =>
          new Pool(origin, { ...options, connect: resolvedHere(options.connect, find, mayBePrivate) }),
      });
  }

  /** Sends a request, following no redirect. Throws {@link NotPublicAddress}, or undici's errors. */
  async request({ url, mayBePrivate, proxy }: GuardedTarget, request: GuardedRequest) {
    if (isRefused({ url, mayBePrivate })) throw new NotPublicAddress(url.hostname);
    const direct = mayBePrivate ? this.#private : this.#public;
    const agent = proxy === undefined ? direct : this.#through(proxy, mayBePrivate);
    return agent.request({ ...request, origin: url.origin, path: url.pathname + url.search });
  }

  /**
   * Sends a request, and the same to where it redirects; resolves with the last answer and its address.
   * Throws {@link NotPublicAddress}, {@link TooManyRedirects}, what `next` throws, or undici's errors.
   */
  async follow(first: GuardedTarget, request: GuardedRequest, { most, next }: Redirects) {
    let target = first;
    for (let redirects = 0; redirects <= most; redirects += 1) {
      const answer = await this.request(target, request);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string')
        return { url: target.url, answer };
      endBody(answer.body);
      target = next(location, target.url);
    }
    throw new TooManyRedirects(most);
  }

  /** Closes all connections, including those in use. */
  async close(): Promise<void> {
    const all = [this.#public, this.#private, ...this.#proxies.values()];
    await Promise.all(all.map((agent) => agent.destroy()));
  }

  #through(proxy: URL, mayBePrivate: boolean): ProxyAgent {
    const key = `${mayBePrivate} ${proxy.href}`;
    const agent = this.#proxies.get(key) ?? this.#openProxy(proxy, mayBePrivate);
    this.#proxies.set(key, agent);
    return agent;
  }
}

/** What a pool of a proxy, or behind one, is made with. */
type ProxyTarget = Pool.Options & { connect: buildConnector.connector };

/** Thrown if a proxy cannot be reached. */
export class ProxyAway extends Error {
  constructor(cause: Error) {
    super(`it cannot be reached${'code' in cause ? ` (${String(cause.code)})` : ''}`, { cause });
  }
}

/** Makes a connector to a proxy whose errors are not taken for those of what is behind it. */
function toProxy(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) =>
      result[0] === null ? callback(...result) : callback(new ProxyAway(result[0]), null),
    );
}

/**
 * Makes a connector through a proxy that names the addresses it has checked: the proxy, which may stand in a
 * private network, resolves no name. Certificates are still those of the name.
 */
function resolvedHere(
  connect: buildConnector.connector,
  resolve: Resolve,
  mayBePrivate: boolean,
): buildConnector.connector {
  return (options, callback) => {
    const name = options.hostname;
    const literal = literalAddress(name);
    const found = literal === undefined ? resolve(name) : Promise.resolve([{ address: literal, family: 0 }]);
    found.then(
      (addresses) => {
        const one = addresses.find(({ family }) => family === 4) ?? addresses[0];
        if (one === undefined) return callback(new Error(`${name} has no address`), null);
        if (!mayBePrivate && !addresses.every(({ address }) => isPublicAddress(address)))
          return callback(new NotPublicAddress(name), null);
        const hostname = one.address.includes(':') ? `[${one.address}]` : one.address;
        const host = options.port === '' ? hostname : `${hostname}:${options.port}`;
        const servername = literal === undefined ? name : '';
        // HTTP/1.1 only, as for direct connections.
        const given = { ...options, hostname, host, servername, allowH2: false };
        return connect(given, callback);
      },
      (error) => callback(error, null),
    );
  };
}

/** True if the host is an address that is not public and may not be one; a name is looked up to connect. */
export function isRefused({ url, mayBePrivate }: GuardedTarget): boolean {
  const literal = literalAddress(url.hostname);
  return literal !== undefined && !mayBePrivate && !isPublicAddress(literal);
}

/** Finds the addresses of a host name, as `dns.promises.lookup` with `all` does. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The error of a request that is redirected more often than it follows. */
export class TooManyRedirects extends Error {
  constructor(most: number) {
    super(`it redirects more than ${most} times`);
    this.name = 'TooManyRedirects';
  }
}

/** Ends a body together with its connection, if it has not ended. */
export function endBody(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** The error of a connection to a host with an address that is not public. */
export class NotPublicAddress extends Error {
  readonly hostname: string;

  constructor(hostname: string) {
    super(`the address of ${hostname} is not public`);
    this.name = 'NotPublicAddress';
    this.hostname = hostname;
  }
}

/**
 * Makes the lookup function of a connection. The connection uses exactly the addresses it has checked, so
 * that a name cannot resolve differently in between (DNS rebinding). A host with one address that is not
 * public fails with {@link NotPublicAddress}. A connection to a literal address looks nothing up: check it
 * with `isPublicAddress` first.
 */
function checkedLookup(resolve: Resolve): LookupFunction {
  return lookupWith(async (hostname) => {
    const addresses = await resolve(hostname);
    if (addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new NotPublicAddress(hostname);
  });
}

/** Makes the lookup function of a connection that may use any address. */
function uncheckedLookup(resolve: Resolve): LookupFunction {
  return lookupWith(resolve);
}

function lookupWith(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Error(`${hostname} has no address`), []);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}
