/** How languages say that people were counted; each line is of one language or of a family. */
interface TollWords {
  /** Behind the number: “11 people were killed”. */
  behind: readonly string[];
  /** Before the number: “killed 11 people”. */
  before: readonly string[];
  /** Names of the count: “the death toll rises to 11”. */
  named: readonly string[];
  /** In Chinese and Japanese, on either side of the number. */
  han: string;
}

/** The counts that reports on one event have in common. */
export const TOLL_WORDS: Readonly<Record<string, TollWords>> = {
  dead: {
    behind: [
      'dead|deaths?|fatalities|killed|died|die',
      'muert[oa]s|fallecid[oa]s|murieron|mueren|fallecieron',
      'mortos|mortes|morreram|morrem',
      'tote|todesopfer|getötet|starben|sterben|tot',
      'morts|mortes|tués|morti',
      'погибли|погибших|погибло|умерли',
      'chết|thiệt mạng|tử vong',
    ],
    before: [
      'kill(?:ed|s|ing)?|claim(?:ed|s)',
      'mata|matou|mató|murieron|mueren|morreram|morrem|tuent|tuant',
      'погибли|погибло',
    ],
    named: [
      'death toll|number of (?:dead|deaths|fatalities)',
      'número de (?:muertos|fallecidos|mortos|mortes)',
      'zahl der (?:toten|todesopfer)|nombre de morts',
      'число погибших|số người chết',
    ],
    han: '死亡|遇难|丧生|身亡|罹难|死(?![者亡刑因])',
  },
  injured: {
    behind: [
      'injured|wounded|hurt|injuries',
      'heridos|feridos|feriti|blessés|verletzte?',
      'пострадали|пострадавших|раненых|ранены|bị thương',
    ],
    before: ['injur(?:ed|es|ing)|wound(?:ed|s|ing)', 'пострадали|ранены'],
    named: [
      'number of (?:injured|wounded)|número de (?:heridos|feridos)',
      'zahl der verletzten|nombre de blessés|число пострадавших',
    ],
    han: '受伤|负伤|負傷|けが|伤(?![者亡势情害愈])',
  },
  missing: {
    behind: [
      'missing|unaccounted for',
      'desaparecid[oa]s|disparus|dispersi|vermisste?',
      'пропали|пропавших|mất tích',
    ],
    before: [],
    named: ['number of missing'],
    han: '失踪|失联|行方不明',
  },
  arrested: {
    behind: [
      'arrested|detained|arrests',
      'detenid[oa]s|detidos|interpellés|arrestati|festgenommen',
      'задержаны',
    ],
    before: ['arrest(?:ed|s|ing)?|detain(?:ed|s)', 'задержали'],
    named: ['number of arrests'],
    han: '被捕|被拘|逮捕',
  },
};

/** The small numbers that news writes out, beside those of `englishNumber`, from two on. */
export const SMALL_NUMBERS: readonly string[] = [
  'dos dois duas zwei deux due два двое hai',
  'tres três drei trois tre три трое ba',
  'cuatro quatro vier quatre quattro четыре четверо bốn',
  'cinco fünf cinq cinque пять пятеро năm',
  'seis sechs sei шесть шестеро sáu',
  'siete sete sieben sept sette семь семеро bảy',
  'ocho oito acht huit otto восемь восьмеро tám',
  'nueve nove neun neuf девять chín',
  'diez dez zehn dix dieci десять mười',
];

/** What makes a number a limit or an estimate. */
export const BOUNDS = {
  least:
    'at least|more than|over|no fewer than|not less than|al menos|por lo menos|más de|pelo menos|ao menos|mais de|mindestens|mehr als|über|au moins|plus de|almeno|oltre|più di|не менее|более|свыше|ít nhất|hơn',
  most: "up to|as many as|fewer than|less than|hasta|até|bis zu|jusqu['’]à|fino a|до",
  about:
    'about|around|some|roughly|approximately|nearly|almost|close to|an estimated|unos|unas|cerca de|casi|quase|rund|etwa|fast|knapp|environ|près de|circa|около|почти|gần|khoảng',
};

/** Words for people of any kind: “11 dead” counts what “11 people dead” does. */
export const ANYBODY =
  'people|persons?|lives|victims|souls|personas|pessoas|vidas|menschen|personen|personnes|persone|человека?|người';

/** What stands between the number and the count without saying who is counted. */
export const AUXILIARIES =
  'were|was|are|is|have|has|had|been|be|be(?:ing)?|left|now|also|confirmed|reported|found|known|to|have|already|han|fueron|foram|resultaron|resultado|ficaram|wurden|sind|ums|ont|été|sont|sono|были|đã|bị|as';

/** What says, anywhere in a sentence, that its numbers are not the count of this event as it is known. */
export const OF_ANOTHER = new RegExp(
  [
    // Of another time.
    String.raw`(?<!\d)(?:1[6-9]|20)\d\d(?!\d)|\b(?:ago|since|previous(?:ly)?|earlier (?:this|attack|quake|earthquake)|last (?:year|month|week|summer|winter|spring|autumn|fall)|past|per|every|annual(?:ly)?|daily|a (?:day|week|month|year)|history|worst|deadliest|anniversary|desde|depuis)\b`,
    String.raw`去年|前年|上月|上周|此前|曾|以来|历史|每年|每天|年前|今年|昨年|[\d一二三四五六七八九十]年`,
    // Not certain, or not so.
    String.raw`\b(?:feared|presumed|believed|may|might|could|would|will|expected|if|unconfirmed|denied|threat\w*|plot\w*|attempt\w*|no one|nobody|none|not|never|without|puede|pode|podría|könnte|pourrait|может)\b`,
    '可能|恐|疑似|如果|未|没有|否认|将',
    // Of more than this event.
    String.raw`\b(?:wars?|conflict|insurgency|uprising|genocide|holocaust|outbreak|epidemic|pandemic|covid|coronavirus|virus|disease|average|aftershocks?|nationwide|worldwide|globally)\b`,
    // With who did it, whom others leave out.
    String.raw`\bincluding (?:the |an? |his |her |their )*(?:\w+ )?(?:gunm[ae]n|attackers?|shooters?|bombers?|suspects?|assailants?|perpetrators?|himself|herself|themselves)\b`,
    '平均|疫情|新冠|病例|确诊|累计|战争|余震|全国|全球|コロナ|感染',
  ].join('|'),
  'iu',
);

/** What says, just before a number, that it is a part of the count or comes on top of it. */
export const OF_A_PART =
  /(?:\b(?:including|includes|among (?:them|those|whom)|of|another|other|further|additional|from|half|than|or|entre ellos|incluindo|darunter|dont|в том числе|включая|trong đó)|其中|包括|另有|新增|又有|还有|再有|另|又|再|うち)\s*$/iu;

/** What makes a number one beside others that are not told: “three more”. */
export const FURTHER =
  'more|others?|additional|further|another|new|extra|otr[oa]s|outr[oa]s|weitere|andere|autres|altri|más|mais|ещё|еще|khác';
