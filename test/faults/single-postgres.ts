import { OwnPostgres } from '../support/own-postgres.ts';
import { proxyDatabase } from '../support/proxied-database.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { SmallDisk } from './small-disk.ts';
import type { Dependency, StandDatabase } from './stand.ts';

/** One PostgreSQL on its own disk, which services reach through a proxy. */
export class SinglePostgres implements StandDatabase, Dependency {
  readonly server: OwnPostgres;
  readonly disk: SmallDisk;
  readonly proxy: TcpProxy;
  readonly settings: Record<string, string>;

  private constructor(server: OwnPostgres, disk: SmallDisk, through: { url: string; proxy: TcpProxy }) {
    this.server = server;
    this.disk = disk;
    this.proxy = through.proxy;
    this.settings = { DATABASE_URL: through.url };
  }

  static async start(): Promise<SinglePostgres> {
    const disk = await SmallDisk.mount(384);
    const server = await OwnPostgres.create(disk.directory('postgres'));
    return new SinglePostgres(server, disk, await proxyDatabase(server.url));
  }

  get url(): string {
    return this.server.url;
  }

  async destroy(): Promise<void> {
    await this.proxy.close();
    await this.server.goOn();
    await this.server.destroy();
    this.disk.unmount();
  }
}
