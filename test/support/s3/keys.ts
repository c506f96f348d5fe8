/** Keys that something between a client and a disk is likely to get wrong. */
export const AWKWARD_KEYS = [
  'with space',
  ' leading and trailing ',
  'plus+sign',
  'per%cent',
  'per%20cent',
  'hash#mark',
  'question?mark=1&b=2',
  `quotes'and"quotes`,
  '<angle>&amp;',
  'back\\slash',
  'tab\there',
  `!*'()~`,
  '日本語/写真.jpg',
  'عربي/صورة.png',
  '😀/🏳️‍🌈.gif',
  'e\u0301 and \u00e9',
];
