/** An item in the sample. */
export interface SampleItem {
  title: string;
  originalTitle?: string;
  summary?: string;
  source: string;
  firstParty?: boolean;
  /** The `publicId` of its story. */
  story?: string;
}

/** Single items, newest first; each is some hours older than the one before. */
export const SAMPLE_ITEMS: readonly SampleItem[] = [
  {
    title: 'A tide gauge learns to explain its forecasts',
    summary:
      'A harbour authority has put a small model next to its tide gauge. Each forecast now comes with the three past days that it resembles most.',
    source: 'Estuary Weekly',
  },
  {
    title: 'A reading list for people who maintain old compilers',
    originalTitle: '写给老编译器维护者的书单',
    summary: 'Forty papers, each with a note on what became of its idea.',
    source: '源码札记',
  },
  {
    title: 'Patent office opens its drawings to search by sketch',
    summary: 'Draw a hinge, find a hinge: the archive of drawings since 1890 can be searched by shape.',
    source: 'Ledger & Loom',
  },
  {
    title: 'A pocket recorder that forgets by design',
    summary: 'Recordings fade after a week unless somebody names a reason to keep them.',
    source: 'Quiet Devices',
    firstParty: true,
  },
  {
    title: 'Three foundries agree on one test for worn tools',
    originalTitle: '三家铸造厂统一刀具磨损检测方法',
    summary: 'The test takes a minute and a microphone, and its data set is public.',
    source: '工坊通讯',
  },
  {
    title: 'A cooperative of translators raises its first loan',
    summary: 'Repayment follows the words delivered, not the calendar.',
    source: 'Ledger & Loom',
  },
  {
    title: 'Draft standard asks models to say when they guess',
    summary:
      'Comments are open for ninety days; the shortest section, on silence, has drawn the most of them.',
    source: 'Standards Post',
  },
  {
    title: 'A conference without slides returns for a second year',
    summary: 'Speakers get a table, a lamp and twelve minutes.',
    source: 'Estuary Weekly',
  },
  {
    title: 'Why small archives outlive large ones',
    summary: 'An essay on copies, neighbours and the habit of checking.',
    source: 'Quiet Devices',
  },
  {
    title: 'Solar kiln learns the weather of its valley',
    originalTitle: '太阳能窑学会了山谷的天气',
    summary: 'After one season of logs, the kiln loads itself only on days that will stay clear.',
    source: '工坊通讯',
  },
  {
    title: 'Speech model reads dialects back to their villages',
    summary: 'The recordings stay with the people who made them; only the rules of pronunciation travel.',
    source: '源码札记',
  },
  {
    title: 'A lock that opens for a melody',
    summary: 'The claim covers the pauses, not the notes.',
    source: 'Patent Letters',
  },
  {
    title: 'A spreadsheet that shows its doubts in pencil grey',
    summary: 'Cells that rest on an estimate print lighter, and so does all that follows from them.',
    source: 'Quiet Devices',
    firstParty: true,
  },
  {
    title: 'Bakers share their oven curves',
    summary: 'Eleven bakeries have put two years of temperatures into one table.',
    source: 'Estuary Weekly',
  },
  {
    title: 'A bank of spare hours publishes its accounts',
    originalTitle: '时间银行公布账目',
    summary: 'Most lent: evenings. Most owed: Mondays.',
    source: '城南日报',
  },
  {
    title: 'City council writes down how its models are retired',
    summary: 'Every model gets an end date on the day it starts.',
    source: 'Standards Post',
  },
  {
    title: 'Night of open workshops draws a queue around the block',
    summary: 'The longest wait was for the loom that reads punched cards.',
    source: 'Estuary Weekly',
  },
  {
    title: 'On measuring what a reader has understood',
    summary: 'Asking for a retelling beats asking for a score, a study of 400 readers finds.',
    source: 'Ledger & Loom',
  },
  { title: 'Ferry timetable now also a data set', source: '城南日报' },
  {
    title: 'Paper: sorting letters by the sound of the envelope',
    summary: 'Nine in ten were told apart, and the tenth was empty.',
    source: '源码札记',
  },
  {
    title: 'A hinge that counts',
    summary: 'Filed by a maker of garden gates who wanted to know about cats.',
    source: 'Patent Letters',
  },
  {
    title: 'A radio for one station',
    summary: 'It has no dial. It costs nine coins. It sold out.',
    source: 'Quiet Devices',
  },
  {
    title: 'Harbour cranes take a common plug',
    originalTitle: '港口起重机采用统一接口',
    summary: 'Six makers agree after nine years of adapters.',
    source: '工坊通讯',
  },
  {
    title: 'Lenders learn to read a repair log',
    summary: 'A machine with an honest log is worth a fifth more, a survey says.',
    source: 'Ledger & Loom',
  },
];

/** The top story of the hot list, from several sources, newest first. */
export const SAMPLE_REPORTS: readonly SampleItem[] = [
  {
    title: 'Lantern 2 is out, and fits on a library computer',
    summary: 'The reading assistant runs without a network; its makers publish how it was tested.',
    source: 'Lantern Project',
    firstParty: true,
    story: 'lantern-2-release',
  },
  {
    title: 'We tried Lantern 2 in a village library',
    summary: 'It finds the page, and it says so when there is no such page.',
    source: 'Estuary Weekly',
    story: 'lantern-2-release',
  },
  {
    title: 'Lantern 2: what is new, in one table',
    originalTitle: '一张表看懂 Lantern 2 的变化',
    summary: '体积减半，词表翻倍，许可证未变。',
    source: '源码札记',
    story: 'lantern-2-release',
  },
  {
    title: 'Is a Lantern release near?',
    summary: 'Two commits and a changed date: a guess that turned out right.',
    source: 'Quiet Devices',
    story: 'lantern-2-rumour',
  },
  {
    title: 'Lantern shows a preview to forty libraries',
    summary: 'The preview came with a questionnaire that was longer than the manual.',
    source: 'Lantern Project',
    firstParty: true,
    story: 'lantern-2-preview',
  },
  {
    title: 'Libraries ask for models that can be lent',
    summary: 'An open letter names seven rights of a borrower.',
    source: 'Standards Post',
    story: 'lending-models',
  },
];
