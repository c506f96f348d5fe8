import { shallowHtml } from '@pressroom/common/html/shallow-html';
import { decodeHTMLStrict } from 'entities';
import { Parser } from 'htmlparser2';
import { monthNamed } from './dates.ts';

/** A text, and whether its tags and references are markup. */
export interface MarkedText {
  value: string;
  /** `unknown`: its format does not say, and its contents decide. */
  markup: 'none' | 'html' | 'unknown';
}

/** The most characters of HTML that are read. */
const MOST_HTML = 200_000;

/** Elements whose text is not part of a summary. */
const SKIPPED = /^(?:script|style|noscript|iframe|svg|figure|video|audio|form)$/;

/** Elements that begin and end a line. */
const LINES =
  /^(?:article|aside|blockquote|br|div|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|ul)$/;

/** A tag. It ends before the next one, so that text full of tags that are never closed is searched once. */
const TAG = /<(\/?)([a-z][\w:-]*)(\s[^<>]*|\/)?>/gi;

/** Tags that stand alone, whether or not they have attributes. */
const ALONE = ['br', 'hr', 'p'];

const ATTRIBUTE = /\s[a-z][\w:-]*=["'\w./#]/i;

const REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi;

/**
 * Characters that JSON clients, XML or PostgreSQL refuse (controls, unpaired surrogates, noncharacters), and
 * those that deceive readers by turning the direction of text around or hiding in it. Joiners and direction
 * marks stay, which scripts and emoji need.
 */
const UNUSABLE =
  /(?!\s)\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}|[\u{ad}\u{180e}\u{200b}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu;

/** Control characters that no text has: quotes and dashes of windows-1252 that nothing has converted. */
const C1 = /[\u{80}-\u{9f}]/gu;

const WINDOWS_1252 = new TextDecoder('windows-1252');

/** The words of a text as one line. */
export function plainText({ value, markup }: MarkedText): string {
  const isHtml = markup === 'html' || (markup === 'unknown' && looksLikeHtml(value));
  const text = isHtml && /[<&]/.test(value) ? htmlText(shallowHtml(cutText(value, MOST_HTML))) : value;
  const typed = text.replace(C1, (control) => WINDOWS_1252.decode(Buffer.from(control, 'latin1')));
  return typed.replace(UNUSABLE, '').replace(/\s+/g, ' ').trim();
}

/** The text of HTML; of a whole page, that of its body. */
function htmlText(html: string): string {
  let text = '';
  let skipped = 0;
  const edge = (name: string, inside: 1 | -1) => {
    if (SKIPPED.test(name)) skipped = Math.max(0, skipped + inside);
    else if (LINES.test(name)) text += '\n';
  };
  const parser = new Parser({
    ontext: (piece) => {
      if (skipped === 0) text += piece;
    },
    onopentagname: (name) => {
      if (name === 'body') [text, skipped] = ['', 0];
      edge(name, 1);
    },
    onclosetag: (name) => edge(name, -1),
  });
  parser.end(html);
  // A place where a line may break, which is between words.
  return text.replaceAll('\u200b', ' ');
}

/**
 * True if a text was written as HTML and does not just mention a tag: it has a reference, a tag with an
 * attribute, an element that is closed, a line break or a paragraph.
 */
export function looksLikeHtml(text: string): boolean {
  const open = new Set<string>();
  for (const [, slash, tag = '', rest = ''] of text.matchAll(TAG)) {
    const name = tag.toLowerCase();
    if (slash === '/' ? open.has(name) : ALONE.includes(name) || ATTRIBUTE.test(rest)) return true;
    open.add(name);
  }
  return (
    text.includes('<!--') ||
    Array.from(text.matchAll(REFERENCE)).some(([found]) => decodeHTMLStrict(found) !== found)
  );
}

/** At most `most` UTF-16 code units of a text, without half a character at the end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Cs}$/u, '');
}

/** The most sentences of a summary. */
const MAX_SENTENCES = 3;

/** The most characters of a summary; a longer first sentence is cut at a word. */
const MAX_CHARACTERS = 600;

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/** At most three sentences of a text, cut at the end of a sentence; null if it is empty. */
export function summaryOf(text: string): string | null {
  return firstSentences(text, MAX_SENTENCES, MAX_CHARACTERS) || null;
}

/**
 * The first sentences of a text, `most` at most and within `characters`; a longer first sentence is cut at a
 * word. Empty if the text is.
 */
export function firstSentences(text: string, most: number, characters: number): string {
  // Further sentences could not be part of it.
  const head = text.slice(0, 10 * characters).trim();
  let found = '';
  let sentences = 0;
  for (const segment of sentencesOf(head)) {
    if (sentences === most || (found + segment).trimEnd().length > characters) break;
    found += segment;
    sentences += 1;
  }
  return head === '' ? '' : found.trim() || cutAtWord(head, characters);
}

function cutAtWord(sentence: string, characters: number): string {
  let cut = '';
  for (const { segment } of WORDS.segment(sentence)) {
    if (cut.length + segment.length >= characters) break;
    cut += segment;
  }
  return `${cut.trim() || cutText(sentence, characters - 1)}…`;
}

const SEGMENTS = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Abbreviations that stand before what they belong to, without the last dot and in lower case: titles, ranks,
 * companies, places, and what comes before a number or a list, in the languages of most feeds.
 */
const ABBREVIATIONS = new Set(
  `
  mr mrs ms mx dr drs prof med st ste sen rep gov gen col lt sgt capt cpt cmdr maj adm pres hon rev fr sr jr msgr amb atty
  supt pvt cpl messrs dept univ assn bros ave blvd rd mt ft inc ltd corp co llc plc vs approx est jan feb mar apr jun
  jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun e.g i.e cf al ca viz
  hr hrn fr frl dipl ing mag hl bzw ca evtl ggf vgl inkl exkl zzgl abs mio mrd tel str bsp sog z.b d.h u.a i.d.r
  mm mme mlle mgr me av env p.ex vol
  sra srta dra dña dn ud uds ee.uu aprox pág núm ee uu lic arq exmo exma
  sig sig.ra dott dott.ssa avv on arch geom
  dhr mevr mw mr ir bijv resp bv b.v n.v
  bl.a t.ex dvs kl f.d s.k
  inż mgr hab ul im tys mln mld np tzw m.in prok
  г гг ул им тыс млн млрд руб т.е т.н проф акад св гр
  sn doç yrd av tzv npr
  ths tp pgs ts gs bs
  `
    .trim()
    .split(/\s+/),
);

/** Abbreviations that are ordinary words without a capital: Sun. 5 May, but: in the sun. */
const WORDS_IN_SMALL = new Set('me on sat sun wed mar mag arch ir est'.split(' '));

/** Abbreviations that may end a sentence: Apple Inc. The firm grew. */
const MAY_END = /(?:^|[\s.])(?:inc|ltd|corp|co|llc|plc|jr|sr|[ap]\.\s?m|(?:\p{Lu}\.)+\p{Lu})\.$/iu;
const BEGINS = /^(?:The|He|She|It|They|We|But|However|There|This|These|His|Her|Their)\s/;

/** Abbreviations that stand before a number only; else they are words, such as No. */
const BEFORE_NUMBERS = new Set('no nos nr nº op art fig vol p pp s § ch sec kap sp стр'.split(' '));

/** Words before an ordinal number, as in `am 3. Oktober` and `im 19. Jahrhundert`. */
const BEFORE_ORDINALS =
  /(?:^|\s)(?:am|im|der|die|das|den|dem|des|vom|zum|zur|beim|seit|bis|ab|den|og|i|od|do|dne|ve)\s+\d{1,3}\.$/iu;

/** A letter, or several with dots: J.K. Rowling, U.S. President, z. B. */
const INITIALS = /(?:^|[\s.(„“"'«-])(?:\p{Lu}\p{Ll}?\.)*[\p{Lu}\p{Ll}]\.$/u;

/** 3 p.m. */
const HALF_OF_DAY = /\d\s?[ap]\.\s?m\.$/i;

/** The sentences of a text (Unicode Standard Annex 29), which do not end after abbreviations. */
function* sentencesOf(text: string): Generator<string> {
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
  if (MAY_END.test(sentence) && BEGINS.test(next)) return true;
  if (INITIALS.test(sentence) || HALF_OF_DAY.test(sentence)) return false;
  const [word = ''] = /[^\s("'„“«]+$/u.exec(sentence) ?? [];
  const name = word.slice(0, -1).toLowerCase();
  if (BEFORE_NUMBERS.has(name)) return !/^\d/.test(next);
  if (/^\d{1,2}$/.test(name) && monthNamed(/^\p{L}{3,}/u.exec(next)?.[0] ?? '') !== undefined) return false;
  if (WORDS_IN_SMALL.has(name) && /^\p{Ll}/u.test(word)) return true;
  return !ABBREVIATIONS.has(name) && !BEFORE_ORDINALS.test(sentence);
}

/** The most characters at the end of a text that lead elsewhere. */
const MOST_END = 700;

/** The place before a link elsewhere: the beginning, or the end of a sentence. */
const AFTER = String.raw`(?:^|(?<=[.!?…。！？؟।:»”")\]])\s*)[\[(]?`;

/** Spares a sentence of the article that begins with the same words. */
const NO_SENTENCE = String.raw`(?!(?!.*https?:).{28,}[^.…][.!。]["”»]?\s*$)`;

/** Links at the end of a text to the article, to comments or for sharing, once or more often. */
const ENDS = [
  // WordPress, as its translations have it.
  `(?:The post|This post|The article|L[’']article|Cet article|El cargo|La entrada|El artículo|Der Beitrag|Der Artikel|Il post|L[’']articolo|O post|O artigo|Het bericht|Artykuł|Wpis|Запись|Сообщение|Inlägget|Innlegget|Indlægget|Příspěvek) .{0,300}? (?:(?:first )?appeared (?:first )?on|est apparu en premier sur|se publicó primero en|apareció primero en|aparece primero en|erschien zuerst auf|proviene da|pochodzi z(?: serwisu)?|apareceu primeiro em|verscheen eerst op|pojawił się (?:najpierw|poczatkowo|początkowo|pierwszy raz) (?:na|w)|(?:впервые )?появил[а-я]*(?: сначала| впервые)? на|sembra essere il primo su|dök först upp på|dukket først opp på|blev først udgivet på|pochází z) .{0,200}`,
  String.raw`(?:Continue reading|Read more|Read the (?:full|whole|rest)|Read full|View (?:the )?(?:original|full|entire) (?:article|post|story)|Get the (?:full|whole) (?:article|post|story)|Full story|Keep reading|Learn more|Click here|View (?:article|post)|Weiterlesen|Jetzt (?:weiter)?lesen|Mehr lesen|Zum Artikel|Den (?:vollständigen|ganzen|kompletten) Artikel|Lire la suite|Lire plus|Continuer (?:la lecture|à lire)|Lire l[’']article|En savoir plus|Leer más|Seguir leyendo|Sigue leyendo|Continuar leyendo|Continua a leggere|Leggi tutto|Leggi anche|Leggi di più|Leia mais|Ler mais|Continue lendo|Continu(?:ar|e) a ler|Lees (?:verder|meer)|Läs mer|Les mer|Læs mere|Lue lisää|Czytaj (?:dalej|więcej|cały)|Číst (?:dále|více)|Читать (?:далее|дальше|полностью|ещё)|Подробнее|Devamını oku|(?:Διαβάστε )?περισσότερα|Читати (?:далі|більше)|Citește mai (?:departe|mult)|Llegir més|Xem (?:thêm|tiếp|chi tiết)|Đọc (?:tiếp|thêm)|Baca selengkapnya|Selengkapnya|L(?:æ|e)s hele (?:artiklen|historien|saken|artikkelen)|Lue koko (?:juttu|artikkeli)|Jatka lukemista|Läs hela (?:artikeln|inlägget)|Fortsätt läsa|Celý článek|Čítať ďalej|Tovább(?: olvasom)?|Citește articolul|Прочетете още|Pročitaj(?:te)? više|Preberite več|(?:Haberin|Yazının) devamı|Permalink|Listen (?:now|to (?:this|the) (?:full )?episode)|بیشتر بخوانید|ادامه مطلب|להמשך קריאה|বিস্তারিত|(?:اقرأ|قراءة) المزيد|(?:أكمل|تابع) القراءة|קרא עוד|המשך קריאה|और पढ़ें|อ่าน(?:ต่อ|เพิ่มเติม))(?!\p{L})${NO_SENTENCE}.{0,200}`,
  String.raw`(?:点击)?(?:阅读|閱讀|查看|查閱|显示)(?:全文|原文|更多|详情|詳情)\s*.{0,20}|(?:继续|繼續|展开|展開)(?:阅读|閱讀|全文)\s*.{0,20}|全文(?:阅读|閱讀)|原文(?:链接|鏈接|连结|連結|地址)(?:[:：].{0,200})?|続きは(?:こちら|コチラ)(?:から)?|(?:続き|全文)を(?:読む|見る)\s*.{0,20}|もっと(?:読む|見る)\s*.{0,20}|(?:더 보기|더 읽기|자세히 보기|계속 읽기|기사 전문 보기)\s*.{0,20}`,
  `(?:This (?:article|story|post|piece) (?:was )?(?:originally|first) (?:appeared|published)|Originally published) (?:on|in|at|by) .{0,200}`,
  String.raw`(?:Comments?(?: URL)?|Kommentare|Commentaires|Comentarios|Leave a comment|\d+ comments?)(?:\s*[:(]${NO_SENTENCE}.{0,200})?`,
  String.raw`(?:Tweet(?: This)?!?|Share (?:this|on|via)\b.{0,60}|Like this:?.{0,40}|Follow us on .{0,60}|Discuss this (?:on|in) (?:our|the) .{0,40}|Teilen auf .{0,40}|Partager sur .{0,40})`,
  `(?:投稿 .{0,300}は.{0,200}に最初に表示されました|(?:글|게시물) .{0,300} 처음 등장했습니다|ظهرت (?:المقالة|التدوينة) .{0,300} أولاً على .{0,200}|Bài viết .{0,300} xuất hiện (?:đầu tiên|lần đầu).{0,200}|.{0,200} yazısı ilk (?:önce|olarak) .{0,200} ortaya çıktı)`,
  String.raw`(?:See \S+/(?:listener|privacy)\S* for .{0,60}|Hosted (?:on|by) \S+ .{0,120}|This is a (?:free preview|public episode)\..{0,300}|Sign up (?:for|to) (?:our|the) .{0,40}newsletters?.{0,60}|Advertise?ment|More\s*[»→…>].{0,3})`,
  String.raw`submitted by\s+/?u/\S+.{0,60}`,
  String.raw`(?:→|»|>>|&raquo;|\[link\]|\[comments\])`,
].map((end) => new RegExp(`${AFTER}(?:${end})[\\s.。…→»>\\])]*$`, 'iu'));

/** Marks that WordPress puts where it cuts a text. */
const CUT = /\s*(?:\[(?:…|\.\.\.|&hellip;)\]|\(more(?:…|\.\.\.)\))\s*$/;

/** Notices to a site's readers in place of an article: consent, payment, scripts and robots. */
const NOTICES = [
  /\bwe value your privacy\b|\bwe and our (?:\d[\d,. ]* )?(?:trusted )?partners\b|\b(?:we|this (?:web)?site|our (?:web)?site) uses? cookies\b|\baccept (?:all )?(?:our )?cookies\b|\bcookie (?:settings|preferences)\b|\bby (?:continuing|using) (?:to (?:use|browse) )?this (?:web)?site\b/i,
  /\b(?:you can|with your permission|your choices) (?:accept or reject|we (?:and our partners )?(?:may )?use precise|are kept|will be applied)\b/i,
  /\bsubscribe (?:now )?to (?:continue|keep|read)\b|\balready a (?:subscriber|member)\b|\b(?:sign|log) in to (?:continue|keep|read|view)\b|\b(?:this|the rest of this) (?:article|story|content|post) is (?:only )?(?:for|available to|exclusive to|reserved for) (?:paying |paid |our )?(?:subscribers|members)\b|\bto (?:continue|keep) reading,? (?:please )?(?:subscribe|sign|log|register)\b|\b(?:you have|you’ve|you've) (?:reached|used) (?:your|all) .{0,30}free articles\b|\bcreate a free account to\b/i,
  /\bplease (?:enable|turn on) (?:javascript|cookies)\b|\b(?:enable|activate) javascript (?:to|and)\b|\bjavascript is (?:disabled|required)\b|\bverify (?:that )?you are (?:a )?human\b|\bare you a robot\b|\bchecking your browser\b|\bad ?blocker\b.{0,40}\b(?:disable|turn off)\b|\b(?:disable|turn off) your ad ?blocker\b/i,
  /wir (?:und unsere (?:\d+ )?partner|verwenden cookies|nutzen cookies)|diese (?:web)?(?:site|seite) (?:verwendet|nutzt) cookies|mit (?:einem )?\S*abo (?:weiterlesen|lesen)|jetzt (?:abonnieren|weiterlesen)|nur für abonnent|bereits abonnent|bitte (?:aktivieren|schalten) sie javascript/i,
  /nous et nos (?:\d+ )?partenaires|nous utilisons des cookies|ce site utilise des cookies|(?:article|contenu) (?:est )?(?:réservé|est réservé) aux abonnés|déjà abonné|il vous reste [\d,.]+ ?% de cet article|abonnez-vous pour (?:lire|continuer)/i,
  /(?:nosotros y nuestros|nosotros y) socios|(?:utilizamos|usamos) cookies|este sitio (?:web )?(?:utiliza|usa) cookies|contenido exclusivo para suscriptores|ya (?:es|eres) suscriptor|suscríbe(?:te|se) para (?:seguir|leer|continuar)/i,
  /noi e i nostri (?:\d+ )?partner|(?:questo sito|utilizziamo) (?:utilizza (?:i )?)?cookie|riservato agli abbonati|sei già abbonato|abbonati per (?:continuare|leggere)|nós e os? nossos? parceiros|utilizamos cookies|exclusivo para assinantes|já é assinante|assine para (?:continuar|ler)/i,
  /wij en onze (?:\d+ )?partners|deze (?:web)?site gebruikt cookies|wij gebruiken cookies|мы используем (?:файлы )?cookie|(?:материал|статья) доступ\S+ (?:только )?(?:по подписке|подписчикам)|używamy (?:plików )?cookies/i,
  /(?:本网站|本網站|我们|我們|本站)(?:会)?使用\s*cookies?|(?:订阅|訂閱|登录|登入|付费|付費|注册)(?:后|後|以)(?:即可)?(?:继续|繼續|可)?(?:阅读|閱讀)|(?:本文|此文)为?(?:付费|会员)(?:专享|内容|文章)|cookieを使用|クッキーを使用|(?:有料)?会員限定(?:記事|です)|この記事は有料|쿠키를 사용|구독자 전용|로그인 후 (?:이용|열람)/i,
];

/** Removes links elsewhere at the end of a text, and notices to readers. */
export function withoutBoilerplate(text: string): string {
  const said = withoutNotices(text);
  let rest = said;
  for (let before = ''; before !== rest; ) {
    before = rest;
    const at = Math.max(0, rest.length - MOST_END);
    const end = ENDS.reduce((tail, pattern) => tail.replace(pattern, ''), rest.slice(at).trimEnd());
    rest = `${rest.slice(0, at)}${withoutCut(end)}`.trimEnd();
  }
  return rest;
}

/** A sentence that was cut keeps its ellipsis. */
function withoutCut(text: string): string {
  return text.replace(CUT, (_, at: number) =>
    /[.!?…。！？]$/.test(text.slice(0, at)) || at === 0 ? '' : '…',
  );
}

/** A shorter sentence after a notice belongs to it, in characters. */
const LEAST_SENTENCE = 30;

/** The most characters that are searched: more is no summary. */
const MOST_SEARCHED = 6000;

function withoutNotices(text: string): string {
  const head = text.slice(0, MOST_SEARCHED);
  if (!isNotice(head)) return text;
  const sentences = [...sentencesOf(head)];
  const notices = sentences.filter(isNotice);
  if (notices.length > 1 && notices.join('').length > head.length / 2) return '';
  let kept = '';
  let isAfter = false;
  for (const sentence of sentences) {
    // Such as: Sign in.
    isAfter = isNotice(sentence) || (isAfter && sentence.length < LEAST_SENTENCE);
    if (!isAfter) kept += sentence;
  }
  return `${kept}${text.slice(MOST_SEARCHED)}`.trim();
}

/** True if a text has a notice to a site's readers in place of an article. */
export function isNotice(text: string): boolean {
  return NOTICES.some((notice) => notice.test(text));
}
