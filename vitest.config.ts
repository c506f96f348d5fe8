import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', '{packages,services}/*/src/**/*.test.ts', 'checks/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Real servers start and stop in these tests, on machines that are shared and noisy.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
