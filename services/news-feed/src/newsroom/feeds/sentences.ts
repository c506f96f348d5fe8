import { monthNamed } from './month-names.ts';

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Abbreviations that stand before what they belong to, without the last dot and in lower case: titles, ranks,
 * companies, places, and what comes before a number or a list, in the languages of most feeds.
 */
const ABBREVIATIONS = new Set(
  `
  mr mrs ms mx dr drs prof st ste sen rep gov gen col lt sgt capt cpt cmdr maj adm pres hon rev fr sr jr msgr amb atty
  supt pvt cpl messrs dept univ assn bros ave blvd rd mt ft inc ltd corp co llc plc vs approx est jan feb mar apr jun
  jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun e.g i.e cf al ca viz
  hr hrn fr frl dipl ing mag hl bzw ca evtl ggf vgl inkl exkl zzgl abs mio mrd tel str bsp sog z.b d.h u.a i.d.r
  mm mme mlle mgr me av env p.ex vol
  sra srta dra dña dn ud uds ee.uu aprox pág núm lic arq exmo exma
  sig sig.ra dott dott.ssa avv on arch geom
  dhr mevr mw mr ir bijv resp bv b.v n.v
  bl.a t.ex dvs kl f.d s.k
  inż mgr hab ul im tys mln mld np tzw m.in prok
  г гг ул им тыс млн млрд руб т.е т.н проф акад св гр
  sn doç yrd av
  `
    .trim()
    .split(/\s+/),
);

/** Abbreviations that stand before a number only; else they are words, such as No. */
const BEFORE_NUMBERS = new Set('no nos nr nº art fig vol p pp s § ch sec kap sp стр'.split(' '));

/** What an ordinal number stands after, as in `am 3. Oktober` and `im 19. Jahrhundert`. */
const BEFORE_ORDINALS =
  /(?:^|\s)(?:am|im|der|die|das|den|dem|des|vom|zum|zur|beim|seit|bis|ab|den|og|i|od|do|dne|ve)\s+\d{1,3}\.$/iu;

/** A letter, or several with dots: J.K. Rowling, U.S. President, z. B. */
const INITIALS = /(?:^|[\s.(„“"'«-])(?:\p{Lu}\p{Ll}?\.)*[\p{Lu}\p{Ll}]\.$/u;

/** 3 p.m. */
const HALF_OF_DAY = /\d\s?[ap]\.\s?m\.$/i;

/** The sentences of a text (Unicode Standard Annex 29), which do not end after abbreviations. */
export function* sentencesOf(text: string): Generator<string> {
  let sentence = '';
  for (const { segment } of SEGMENTS.segment(text)) {
    if (sentence !== '' && !endsBefore(sentence.trimEnd(), segment)) {
      sentence += segment;
      continue;
    }
    if (sentence !== '') yield sentence;
    sentence = segment;
  }
  if (sentence !== '') yield sentence;
}

function endsBefore(sentence: string, next: string): boolean {
  // Yahoo! buys …; a new sentence would begin with a capital.
  if (/[!?]$/.test(sentence)) return !/^\p{Ll}/u.test(next);
  if (!sentence.endsWith('.')) return true;
  if (INITIALS.test(sentence) || HALF_OF_DAY.test(sentence)) return false;
  const [word = ''] = /[^\s("'„“«]+$/u.exec(sentence) ?? [];
  const name = word.slice(0, -1).toLowerCase();
  if (BEFORE_NUMBERS.has(name)) return !/^\d/.test(next);
  if (/^\d{1,2}$/.test(name) && monthNamed(/^\p{L}{3,}/u.exec(next)?.[0] ?? '') !== undefined) return false;
  return !ABBREVIATIONS.has(name) && !BEFORE_ORDINALS.test(sentence);
}
