/** How news sites title what tells several stories, or one for hours. */
const ROUND_UP = new RegExp(
  [
    // English
    String.raw`\b(?:live[ -]?(?:blog|updates?)|(?:news|weekly|daily|morning|evening) (?:round-?up|brief(?:ing|s)?|digest|recap)|news in brief|in brief from|top (?:stories|headlines)|front pages|today in history|horoscopes?|week in review)\b`,
    // German, French, Spanish, Portuguese, Italian
    String.raw`\b(?:live-?ticker|newsblog|nachrichtenüberblick|presseschau|wochenrückblick|en direct|revue de presse|minuto a minuto|las noticias del día|ao vivo|manchetes d[eo]|as notícias do dia|rassegna stampa|in diretta)\b`,
    // Russian, Vietnamese
    'прогноз погоды|главное за (?:день|неделю)|дайджест|онлайн-трансляция|điểm tin|tin tức trong ngày',
    // Chinese, Japanese, Korean
    '^[^，。：:]{0,6}(?:早报|晚报|早知道)(?=[ |｜丨：:【]|$)|新闻联播|要闻(?:汇总|速览|回顾)|快讯汇总|一周回顾|每日(?:简报|要闻)|天气预报|文字直播',
    'まとめ$|ニュース一覧|今日のニュース|주요 ?뉴스|뉴스 ?브리핑',
  ].join('|'),
  'iu',
);

/** How many parts a title has that lists what it is about. */
const LISTED = 4;

/** Whether a title says that its report is on several stories, or goes on for hours: it belongs to none. */
export function isRoundUp(title: string): boolean {
  return (
    ROUND_UP.test(title) || title.split(/\s*[;；|丨]\s*/u).filter((part) => part.length > 3).length >= LISTED
  );
}
