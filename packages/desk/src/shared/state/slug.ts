/** The longest slug, in characters. */
const LONGEST = 100;

/** A slug of a text in any script; empty for a text without letters. */
export async function slugOf(text: string): Promise<string> {
  const { default: anyAscii } = await import('any-ascii');
  const ascii = anyAscii(text.normalize('NFKC')).toLowerCase().replaceAll(/['’]/g, '');
  const slug = (ascii.match(/[a-z0-9]+/g) ?? []).join('-');
  return slug.slice(0, LONGEST).replace(/-$/, '');
}
