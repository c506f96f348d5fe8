/** A server that `pnpm start` runs as a separate process, known by paths and variables only. */
export interface Service {
  readonly name: string;
  /** The program, run by Node; it reads its settings from the environment. */
  readonly main: string;
  /**
   * A program and its arguments: prints each fault of the service's settings in a line that two spaces begin.
   */
  readonly check?: readonly [program: string, ...args: string[]];
  /** The variable that sets its port, and the default port. */
  readonly port: { readonly variable: string; readonly default: number };
  /** The variables that it gets unless the environment says otherwise. */
  readonly env?: Readonly<Record<string, string>>;
  /** The variables that it gets the addresses of other services in, unless the environment says otherwise. */
  readonly reaches?: Readonly<Record<string, string>>;
  /** A program and its arguments, run before the service starts to create samples. */
  readonly sample?: readonly [program: string, ...args: string[]];
  /** The argument after which `sample` gets the address of the pictures of the gallery's sample. */
  readonly samplePictures?: string;
  /**
   * The service works on an object store and has a login: both come by its environment. The program is run to
   * its end once an embedded store listens: it creates the bucket, and samples if asked to.
   */
  readonly gallery?: {
    readonly prepare: readonly [program: string, ...args: string[]];
    /** The argument with which it creates samples, too: those below `public/` may anyone see. */
    readonly sample?: string;
  };
  /** A program and its arguments, run next to the service, with its own variables. */
  readonly worker?: {
    /** The variable that sets its port, and the default port; `SERVICE worker` in what others reach. */
    readonly port: { readonly variable: string; readonly default: number };
    readonly command: readonly [program: string, ...args: string[]];
    /** Its settings unless the environment says otherwise. */
    readonly env: Readonly<Record<string, string>>;
  };
  /** A program and its arguments that builds what the service serves to browsers; quick if it is there. */
  readonly build?: readonly [program: string, ...args: string[]];
  /** True if it serves a page for people at `/`. */
  readonly page?: boolean;
  /** Hints shown once it runs: a label and the command. */
  readonly hints: readonly (readonly [label: string, command: string])[];
}

/** On the machine of a developer, so are the first feed and the first hook. */
const OWN_HOSTS = '127.0.0.1,localhost,::1';

/** The services of Pressroom, in the order in which they are shown. Paths are relative to the repository. */
export const SERVICES: readonly Service[] = [
  {
    name: 'news-feed',
    main: 'services/news-feed/src/main.ts',
    check: ['services/news-feed/src/check-config.ts'],
    port: { variable: 'NEWS_FEED_PORT', default: 4001 },
    sample: ['services/news-feed/src/cli.ts', 'sample'],
    worker: {
      port: { variable: 'NEWS_DESK_PORT', default: 4007 },
      command: ['services/news-feed/src/cli.ts', 'work'],
      env: { NEWS_PRIVATE_HOSTS: OWN_HOSTS },
    },
    hints: [
      ['Add a feed', 'npx -y pnpm@12 newsroom sources add URL'],
      ['Import news', 'npx -y pnpm@12 newsroom import FILE.jsonl'],
    ],
  },
  {
    name: 'content',
    main: 'services/content/src/main.ts',
    check: ['services/content/src/check-config.ts'],
    port: { variable: 'CONTENT_PORT', default: 4003 },
    env: { CONTENT_HOOKS_PRIVATE_HOSTS: OWN_HOSTS },
    sample: ['services/content/src/cli.ts', 'sample'],
    samplePictures: '--media',
    hints: [
      ['Create an API key', 'npx -y pnpm@12 content keys create --name NAME'],
      ['… for a site', 'npx -y pnpm@12 content keys create --name NAME --scope published'],
    ],
  },
  {
    name: 'gallery-admin',
    main: 'services/gallery-admin/src/main.ts',
    check: ['services/gallery-admin/src/check-config.ts'],
    port: { variable: 'GALLERY_ADMIN_PORT', default: 4002 },
    env: { MEDIA_PUBLIC: 'public/' },
    reaches: { CONTENT_URL: 'content', NEWSROOM_URL: 'news-feed worker' },
    gallery: {
      prepare: ['services/gallery-admin/src/cli.ts', 'bucket', 'create', '--quiet'],
      sample: '--sample',
    },
    build: ['packages/desk/src/build/cli.ts'],
    page: true,
    hints: [],
  },
];
