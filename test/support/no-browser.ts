/** Note of a test left out that needs a browser: the reason, and the remedy. */
export const NO_BROWSER =
  'needs a browser, and there is none: install Chrome or Chromium, or name one in CHROMIUM';
