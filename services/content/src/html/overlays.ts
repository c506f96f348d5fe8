/** A declaration of a `style` attribute: its property and its value, in lower case. */
interface Declaration {
  property: string;
  value: string;
}

/**
 * The declarations of a `style` without escapes and comments, which are refused elsewhere. What stands in a
 * string or in braces is taken for one as well: nothing that a browser obeys is missed.
 */
function declarationsOf(style: string): Declaration[] {
  return style
    .toLowerCase()
    .split(/[;{}]/)
    .filter((text) => text.includes(':'))
    .map((text) => {
      const colon = text.indexOf(':');
      const property = text
        .slice(0, colon)
        .trim()
        .replace(/^-[a-z]+-/, '');
      const value = text
        .slice(colon + 1)
        .replace(/!\s*important\s*$/, '')
        .trim();
      return { property, value };
    });
}

/** Values of `position` that keep an element in its place, and those that need another one around it. */
const IN_PLACE = /^(?:static|relative|initial|unset|revert)$/;

const OFFSET = /^(?:top|right|bottom|left|inset(?:-.+)?)$/;

/** Parts of a value that add nothing to where an element is, or to its size. */
const NOTHING = /^(?:auto|none|[+-]?0+(?:\.0+)?(?:[a-z]+|%)?)$/;

/** What places an absolute element in the one around it, on each axis: together 100 % at most. */
const AXES = [/^(?:top|bottom|inset|(?:min-)?height)$/, /^(?:left|right|inset|(?:min-)?width)$/];

/** What else places or enlarges an absolute element. */
const OUTGROWING =
  /^(?:inset-.+|(?:margin|padding)(?:-.+)?|border(?:-(?:top|right|bottom|left|block|inline)(?:-start|-end)?)?(?:-width)?|(?:min-)?(?:(?:inline|block)-size|logical-(?:width|height))|aspect-ratio|(?:align|justify|place)-self)$/;

/** Functions of `transform` that leave an element where it is. */
const STILL =
  /^(?:none|initial|(?:(?:(?:rotate|translate)(?:[xyz]|3d)?\((?:0(?:\.0+)?[a-z%]*(?:[,\s]+|(?=\))))+\)|scale[xyz]?\((?:1[,\s]*)+\))\s*)+)$/;

/** Properties that move or enlarge an element, or paint beyond it, without the rest of the page. */
const MOVING =
  /^(?:all|translate|scale|rotate|offset(?:-.+)?|position-.+|inset-area|transform-.+|perspective(?:-.+)?|border-image(?:-outset)?|box-reflect)$/;

/** Properties that paint beyond an element, as far as their lengths say. */
const PAINTING =
  /^(?:box-shadow|outline(?:-width|-offset)?|text-(?:shadow|stroke(?:-width)?|decoration(?:-thickness)?|underline-offset))$/;

/** Lengths that reach too short to cover anything, whatever the size of the font. */
const SHORT = /^[+-]?(?:100|\d{0,2}(?:\.\d+)?)(?:px|pt)?$/;
const SHORT_IN_TEXT = /^[+-]?0?\.\d+r?em$/;
const SHORT_SIDEWAYS = /^-\d?(?:\.\d+)?(?:r?em|ch|ex|%)$/;

/** Widens an element to the window, and no further. */
const FULL_WIDTH = /calc\((?:50% - 50vw|-50vw \+ 50%)\)/g;

/** Elements that clip what they show unless a style says otherwise. */
const CLIPPING = /^(?:iframe|img|svg|video)$/;

/** Elements that contain only table parts: a parser moves others out of them. */
const TABLE = /^(?:table|tbody|thead|tfoot|tr|colgroup)$/;

/**
 * What in the `style` of an element called `name` can lay it over the page around the article.
 *
 * @param anchored whether an element around it holds what is positioned in it
 */
export function overlaysIn(name: string, style: string, anchored: boolean): string[] {
  const declarations = declarationsOf(style);
  const positions = declarations.filter(({ property }) => property === 'position');
  const isAbsolute = positions.some(({ value }) => value === 'absolute');
  const axes = AXES.map((axis) => declarations.filter(({ property }) => axis.test(property)));
  // Without an offset it stays where it would be.
  const isHeld =
    anchored ||
    declarations.every(
      ({ property, value }) =>
        value === 'auto' || ![OFFSET, ...AXES].some((placing) => placing.test(property)),
    );
  const outgrowing = new Set(isAbsolute ? axes.filter((placed) => !fits(placed)).flat() : []);
  const overlays = declarations.filter((declaration) => {
    const { property, value } = declaration;
    if (isAbsolute && (outgrowing.has(declaration) || OUTGROWING.test(property)))
      return outgrowing.has(declaration) || !isNothing(value);
    if (property === 'position') return !(IN_PLACE.test(value) || (value === 'absolute' && isHeld));
    if (property === 'z-index') return !/^(?:auto|0|initial|unset)$/.test(value);
    if (property === 'transform') return !STILL.test(value);
    if (property === 'zoom') return !/^(?:1|100%|normal)$/.test(value);
    // Lines that run down the page make what is allowed sideways go upwards.
    if (property === 'writing-mode') return !/^(?:horizontal-tb|lr-tb|initial|unset)$/.test(value);
    if (property === 'filter') return /drop-shadow|blur|url|var/.test(value);
    if (/^overflow(?:-.+)?$/.test(property)) return CLIPPING.test(name) && /visible|var/.test(value);
    if (MOVING.test(property)) return value !== 'none' && value !== 'auto';
    if (PAINTING.test(property)) return !isShort(property, value);
    if (OFFSET.test(property))
      return positions.some(({ value }) => value !== 'absolute') && !isNothing(value);
    return drawsOver(property, value);
  });
  return overlays.map(({ property, value }) => `${property}: ${value.slice(0, 40)}`);
}

/** Whether an element called `name` with this `style` holds what is positioned in it. */
export function isAnchor(name: string, style: string): boolean {
  // What stands in a string or a block is no declaration to a browser.
  if (TABLE.test(name) || /["'{}()[\]]/.test(style.replaceAll(/\([^();"']*\)/g, ''))) return false;
  const declarations = declarationsOf(style);
  const positions = declarations.filter(({ property }) => property === 'position');
  const hasBox = declarations.every(
    ({ property, value }) =>
      property !== 'display' || /^(?:(?:inline-)?(?:block|flex|grid|table)|flow-root)$/.test(value),
  );
  return (
    hasBox &&
    positions.length > 0 &&
    positions.every(({ value }) => value === 'relative' || value === 'absolute')
  );
}

/** Whether offsets and sizes on one axis are percentages of what is around, all of it at most. */
function fits(placed: readonly Declaration[]): boolean {
  const shares = placed.flatMap(({ value }) => value.split(/\s+/)).filter((part) => !NOTHING.test(part));
  const sum = shares.reduce((all, part) => all + Number.parseFloat(part), 0);
  return sum <= 100 && shares.every((part) => /^\+?(?:\d+|\d*\.\d+)%$/.test(part));
}

function isNothing(value: string): boolean {
  return value.split(/\s+/).every((part) => NOTHING.test(part));
}

function isShort(property: string, value: string): boolean {
  const parts = value.replaceAll(/(?:rgb|hsl)a?\([^()]*\)|#[\da-f]+/g, ' ').split(/[\s,]+/);
  const allowed = (part: string) =>
    SHORT.test(part) || (property.startsWith('text-') && SHORT_IN_TEXT.test(part));
  return parts.every((part) => allowed(part) || /^[a-z-]*$/.test(part));
}

/** Whether a margin draws an element, or what follows it, over what comes before or stands beside it. */
function drawsOver(property: string, value: string): boolean {
  const margin = /^margin(?:-(.+))?$/.exec(property);
  if (margin === null) return false;
  const isSideways = /^(?:left|right|start|end|inline)/.test(margin[1] ?? '');
  // What functions result in is unknown; their arguments are not parts of a shorthand.
  const parts = value
    .replaceAll(FULL_WIDTH, 'full-width()')
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '()')
    .split(/\s+/);
  return parts.some((part, index) => {
    const goesUp = part.includes('(') || /^-\s*(?:0*\.)?0*[1-9]/.test(part);
    if (!goesUp || !(isSideways || (property === 'margin' && index % 2 === 1))) return goesUp;
    return !(part === 'full-width()' || SHORT.test(part) || SHORT_SIDEWAYS.test(part));
  });
}
