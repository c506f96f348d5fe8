import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// As `pnpm start` has it: a test file starts programs by the dozen; without it each strips all types again.
process.env.NODE_COMPILE_CACHE ||= fileURLToPath(new URL('node_modules/.cache/pressroom', import.meta.url));

/** Tests of real articles, feeds and images: they read `REAL_DATA_DIR`. */
const REAL = 'test/**/*.real.test.ts';

/** Tests that break what the services depend on, under load: they take minutes and measure time. */
const FAULTS = 'test/**/*.faults.test.ts';

/** Slow tests of the gallery's page, and its pictures for the docs. */
const PAGE = 'test/**/*.page.test.ts';

/** The commands that the documentation prints, in a clone: they install it, and take minutes. */
const DOCS = 'test/**/*.docs.test.ts';

/** The tests of pure functions, each next to what it tests: they start no server. */
const UNIT = [
  '{packages,services}/*/src/**/*.test.ts',
  '{checks,conformance}/**/*.test.ts',
  'test/docs/*.test.ts',
];

/** Those that lie there too, but start threads or programs, stop the event loop, or take seconds of work. */
const SLOW_NEIGHBOURS = [
  'checks/{client-types,kubernetes,vulnerable-packages}.test.ts',
  'packages/common/src/log/line-batch.test.ts',
  'packages/common/src/http/pressure.test.ts',
  'packages/common/src/threads/*.test.ts',
  'services/content/src/html/html-inspector.test.ts',
  'packages/moving/src/wordpress/html.test.ts',
  'services/gallery-admin/src/proxy/thumbnail.test.ts',
];

const shared = {
  // Real servers start and stop in these tests, on machines that are shared and noisy: no test may fail for
  // being slow.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Said by `expect.poll`, whose own limit is a second.
  expect: { poll: { timeout: 120_000 } },
  globalSetup: ['test/support/global-setup.ts'],
  pool: 'forks' as const,
};

/** Nothing is started for these: what they test runs somewhere already. */
const stack = { ...shared, globalSetup: [] };

export default defineConfig({
  test: {
    // Most tests wait for sockets and processes, so two cores hold more than the one file of the default.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ['default', './test/support/left-out-reporter.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'default',
          include: ['test/**/*.test.ts', ...SLOW_NEIGHBOURS],
          exclude: [REAL, FAULTS, PAGE, DOCS, 'test/docs/*.test.ts', '**/node_modules/**'],
        },
      },
      // Pure functions leave nothing behind, so that files can share what they have loaded.
      {
        test: {
          ...shared,
          name: 'unit',
          include: UNIT,
          exclude: [...SLOW_NEIGHBOURS, DOCS, '**/node_modules/**'],
          globalSetup: [],
          pool: 'threads',
          isolate: false,
        },
      },
      { test: { ...shared, name: 'real', include: [REAL] } },
      { test: { ...shared, name: 'page', include: [PAGE] } },
      { test: { ...shared, name: 'docs', include: [DOCS], globalSetup: [] } },
      // It starts what it needs itself, and breaks nothing else.
      {
        test: {
          ...shared,
          name: 'faults',
          include: [FAULTS],
          globalSetup: [],
          // One after the other waits for several conditions, each of them with patience.
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      // Against the deployment that STACK_URL names.
      { test: { ...stack, name: 'stack-reading', include: ['test/stack/reading.stack.ts'] } },
      { test: { ...stack, name: 'stack-writing', include: ['test/stack/writing.stack.ts'] } },
    ],
  },
});
