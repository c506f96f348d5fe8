import { TcpProxy } from './tcp-proxy.ts';

/** A database that is reached through a proxy. */
export interface ProxiedDatabase {
  /** In the form of `DATABASE_URL`. */
  url: string;
  proxy: TcpProxy;
}

/** Puts a proxy before the server of `url`. */
export async function proxyDatabase(url: string): Promise<ProxiedDatabase> {
  const proxied = new URL(url);
  const proxy = await TcpProxy.start({ host: proxied.hostname, port: Number(proxied.port) });
  proxied.hostname = '127.0.0.1';
  proxied.port = String(proxy.port);
  return { url: proxied.href, proxy };
}
