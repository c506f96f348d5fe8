/**
 * Characters that turn text around, take no room or end a line. A joiner between letters that join, or in an
 * emoji, is a part of what is seen, and so are the tags of a flag.
 */
const UNSEEN = new RegExp(
  [
    String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}]|(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}])\p{L}|\p{M})[\u{200C}\u{200D}]`,
    String.raw`(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]*)[\u{E0020}-\u{E007F}]`,
    String.raw`(?![\u{200C}\u{200D}\u{E0020}-\u{E007F}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{034F}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180F}\u{2800}\u{3164}\u{FFA0}]`,
  ].join('|'),
  'gu',
);

/** A name with what cannot be seen in it written out: `photo\u{202E}gpj.exe`. */
export function visible(name: string): string {
  return name.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0)?.toString(16).toUpperCase()}}`);
}

/** A name without what cannot be seen in it. */
export function withoutUnseen(name: string): string {
  return name.replace(UNSEEN, '');
}
