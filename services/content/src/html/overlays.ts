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
        .replace(/^-(?:webkit|moz|ms|o)-/, '');
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

/** Offsets that move an element nowhere, and those that move it within the one around it. */
const NO_OFFSET = /^(?:auto|[+-]?0+(?:\.0+)?(?:[a-z]+|%)?)$/;
const INNER_OFFSET = /^\+?(?:[\d.]+(?:px|r?em|pt|ex|ch)|100(?:\.0+)?%|\d{1,2}(?:\.\d+)?%)$/;

/** Functions of `transform` that leave an element where it is. */
const STILL =
  /^(?:none|initial|(?:(?:rotate(?:[xyz]|3d)?\([^()]*\)|translate(?:[xyz]|3d)?\((?:0[a-z%]*[,\s]*)+\)|scale[xyz]?\((?:1[,\s]*)+\))\s*)+)$/;

/** Properties that move or enlarge an element without the rest of the page. */
const MOVING = /^(?:translate|scale|offset(?:-.+)?|position-.+|inset-area)$/;

/**
 * What in a `style` can lay an element over the page around the article.
 *
 * @param anchored whether an element around it holds what is positioned in it
 */
export function overlaysIn(style: string, anchored: boolean): string[] {
  const declarations = declarationsOf(style);
  const positions = declarations.filter(({ property }) => property === 'position');
  const isAbsolute = positions.some(({ value }) => value === 'absolute');
  // Without an offset it stays where it would be.
  const isHeld =
    anchored || !declarations.some(({ property, value }) => OFFSET.test(property) && value !== 'auto');
  const overlays = declarations.filter(({ property, value }) => {
    if (property === 'position') return !(IN_PLACE.test(value) || (value === 'absolute' && isHeld));
    if (property === 'z-index') return !/^(?:auto|0|initial|unset)$/.test(value);
    if (property === 'transform') return !STILL.test(value);
    if (MOVING.test(property)) return value !== 'none' && value !== 'auto';
    if (OFFSET.test(property)) return positions.length > 0 && !staysInside(value, isAbsolute);
    return isUpward(property, value);
  });
  return overlays.map(({ property, value }) => `${property}: ${value.slice(0, 40)}`);
}

/** Whether an element with this `style` holds what is positioned in it. */
export function isAnchor(style: string): boolean {
  const positions = declarationsOf(style).filter(({ property }) => property === 'position');
  return positions.length > 0 && positions.every(({ value }) => value === 'relative' || value === 'absolute');
}

function staysInside(value: string, isAbsolute: boolean): boolean {
  return value.split(/\s+/).every((one) => NO_OFFSET.test(one) || (isAbsolute && INNER_OFFSET.test(one)));
}

/** Whether a margin draws an element, or what follows it, upwards over what comes before. */
function isUpward(property: string, value: string): boolean {
  if (!/^margin(?:-top|-bottom|-block(?:-start|-end)?)?$/.test(property)) return false;
  // What functions result in is unknown; their arguments are not parts of a shorthand.
  const parts = value.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '()').split(/\s+/);
  const vertical = property === 'margin' ? [parts[0], parts[2]] : parts;
  return vertical.some(
    (part) => part !== undefined && (part.includes('(') || /^-\s*(?:0*\.)?0*[1-9]/.test(part)),
  );
}
