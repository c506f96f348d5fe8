import { defineConfig } from 'astro/config';

// Everything is built to files; a reader's browser asks Pressroom only for the search, previews and pictures.
export default defineConfig({
  site: process.env.SITE_URL ?? 'http://127.0.0.1:4321',
  outDir: process.env.OUT_DIR ?? 'dist',
  // The gallery draws its public pictures at the sizes that a page needs.
  image: { service: { entrypoint: '@pressroom/client/astro' } },
  devToolbar: { enabled: false },
});
