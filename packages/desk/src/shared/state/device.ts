/** The names in a browser's `User-Agent`; those that also carry another's name come first. */
const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** The browser and the system that a `User-Agent` names; undefined where it names none that is known. */
export function deviceOf(agent: string): {
  readonly browser: string | undefined;
  readonly system: string | undefined;
} {
  const named = (known: typeof BROWSERS) => known.find(([sign]) => sign.test(agent))?.[1];
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
