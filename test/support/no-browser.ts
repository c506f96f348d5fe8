/** Why a test that needs a browser is left out, and what to do about it. */
export const NO_BROWSER =
  'needs a browser, and there is none: install Chrome or Chromium, or name one in CHROMIUM';
