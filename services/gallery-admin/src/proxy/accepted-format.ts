/**
 * The format of pictures with the greatest weight in `accept` (RFC 9110, section 12.5.1), the earliest of equal
 * ones. All but the last must be named; the last is also what is sent to clients that name none.
 */
export function acceptedFormat<Format extends string>(
  accept: string | undefined,
  formats: readonly [...Format[], Format],
): Format {
  const last = formats[formats.length - 1] as Format;
  const weights = weightsOf(accept);
  const least = [`image/${last}`, 'image/*', '*/*'].map((type) => weights.get(type)).find(isGiven) ?? 0;
  const [best = last] = formats
    .filter(
      (format) => format !== last && weightOf(format, weights) > 0 && weightOf(format, weights) >= least,
    )
    .sort((one, other) => weightOf(other, weights) - weightOf(one, weights));
  return best;
}

/** Whether an `Accept` names a media type without refusing it. */
export function namesType(accept: string | undefined, type: string): boolean {
  return (weightsOf(accept).get(type) ?? 0) > 0;
}

function weightOf(format: string, weights: ReadonlyMap<string, number>): number {
  return weights.get(`image/${format}`) ?? 0;
}

function isGiven(weight: number | undefined): weight is number {
  return weight !== undefined;
}

/** The weights of the media types and ranges that are named, from 0 to 1. */
function weightsOf(accept = ''): Map<string, number> {
  const named = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return [type, Number.isNaN(Number(weight)) ? 1 : Number(weight)] as const;
  });
  return new Map(named);
}
