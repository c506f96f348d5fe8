import { defineConfig } from 'astro/config';

// Everything is built to files; a reader's browser asks Pressroom only for the search and previews.
export default defineConfig({
  site: process.env.SITE_URL ?? 'http://127.0.0.1:4321',
  outDir: process.env.OUT_DIR ?? 'dist',
  // The gallery's addresses: its store is read once, while the site is built.
  image: { remotePatterns: [{}] },
  devToolbar: { enabled: false },
});
