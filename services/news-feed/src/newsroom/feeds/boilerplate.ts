import { sentencesOf } from './sentences.ts';

/** The most characters at the end of a text that lead elsewhere. */
const MOST_END = 700;

/** Before what leads elsewhere: the beginning, or the end of a sentence. */
const AFTER = String.raw`(?:^|(?<=[.!?…。！？:»”")\]])\s*)`;

/** What a text ends with, once or more often, that leads to the article or to comments, or shares it. */
const ENDS = [
  // WordPress, as its translations have it.
  `(?:The post|This post|The article|L[’']article|Cet article|El cargo|La entrada|El artículo|Der Beitrag|Der Artikel|Il post|L[’']articolo|O post|O artigo|Het bericht|Artykuł|Wpis|Запись|Сообщение|Inlägget|Innlegget|Indlægget|Příspěvek) .{0,300}? (?:(?:first )?appeared (?:first )?on|est apparu en premier sur|se publicó primero en|apareció primero en|aparece primero en|erschien zuerst auf|proviene da|apareceu primeiro em|verscheen eerst op|pojawił się (?:najpierw|poczatkowo|początkowo|pierwszy raz) (?:na|w)|впервые появил(?:ась|ось) на|dök först upp på|dukket først opp på|blev først udgivet på|pochází z) .{0,200}`,
  String.raw`(?:Continue reading|Read more|Read the (?:full|whole|rest)|Read full|Full story|Keep reading|Learn more|Click here|View (?:article|post)|Weiterlesen|Mehr lesen|Zum Artikel|Den vollständigen Artikel|Lire la suite|Lire plus|Lire l[’']article|En savoir plus|Leer más|Seguir leyendo|Sigue leyendo|Continuar leyendo|Continua a leggere|Leggi tutto|Leggi anche|Leggi di più|Leia mais|Ler mais|Continue lendo|Continuar a ler|Lees (?:verder|meer)|Läs mer|Les mer|Læs mere|Lue lisää|Czytaj (?:dalej|więcej|cały)|Číst (?:dále|více)|Читать (?:далее|дальше|полностью|ещё)|Подробнее|Devamını oku|Διαβάστε περισσότερα)(?!\p{L}).{0,200}`,
  String.raw`(?:点击)?(?:阅读|閱讀|查看|查閱|显示)(?:全文|原文|更多|详情|詳情)\s*.{0,20}|(?:继续|繼續)(?:阅读|閱讀)\s*.{0,20}|(?:続き|全文)を(?:読む|見る)\s*.{0,20}|もっと(?:読む|見る)\s*.{0,20}|(?:더 보기|더 읽기|계속 읽기|기사 전문 보기)\s*.{0,20}`,
  String.raw`(?:Comments?(?: URL)?|Kommentare|Commentaires|Comentarios|Leave a comment|\d+ comments?)(?:\s*[:(].{0,200})?`,
  String.raw`(?:Tweet(?: This)?!?|Share (?:this|on|via)\b.{0,60}|Like this:?.{0,40}|Follow us on .{0,60}|Teilen auf .{0,40}|Partager sur .{0,40})`,
  String.raw`submitted by\s+/?u/\S+.{0,60}`,
  String.raw`(?:→|»|>>|&raquo;|\[link\]|\[comments\])`,
].map((end) => new RegExp(`${AFTER}(?:${end})[\\s.…→»>]*$`, 'iu'));

/** What WordPress puts where it cuts a text. */
const CUT = /\s*(?:\[(?:…|\.\.\.|&hellip;)\]|\(more(?:…|\.\.\.)\))\s*$/;

/** What is said to readers of a site instead of an article: consent, payment, scripts and robots. */
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

/** A text without what leads elsewhere at its end, and without what is said to readers instead of it. */
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

/** Whether a text has something that is said to readers of a site instead of an article. */
export function isNotice(text: string): boolean {
  return NOTICES.some((notice) => notice.test(text));
}
