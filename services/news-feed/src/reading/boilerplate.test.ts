import { expect, test } from 'vitest';
import { withoutBoilerplate } from './text.ts';

test.each([
  ['The bridge opens. […] The post Bridge appeared first on Site.', 'The bridge opens.'],
  ['The bridge opens in […]', 'The bridge opens in…'],
  ['Le pont ouvre. L’article Pont est apparu en premier sur Site.', 'Le pont ouvre.'],
  ['Die Brücke öffnet. Der Beitrag Brücke erschien zuerst auf Seite.', 'Die Brücke öffnet.'],
  ['El puente abre. La entrada Puente se publicó primero en Sitio.', 'El puente abre.'],
  ['The tram was approved… Continue reading Tram →', 'The tram was approved…'],
  ['The bridge opens. Read more', 'The bridge opens.'],
  ['Die Brücke öffnet. Weiterlesen …', 'Die Brücke öffnet.'],
  ['Le pont ouvre. Lire la suite »', 'Le pont ouvre.'],
  ['新桥今日通车。阅读全文', '新桥今日通车。'],
  ['新しい橋が開通した。続きを読む', '新しい橋が開通した。'],
  ['Мост открыт. Читать далее', 'Мост открыт.'],
  ['The bridge opens. [Read more...]', 'The bridge opens.'],
  ['The bridge opens. View original post', 'The bridge opens.'],
  ['The bridge opens. This article originally appeared on Site.', 'The bridge opens.'],
  ['Die Brücke öffnet. Den ganzen Artikel lesen', 'Die Brücke öffnet.'],
  ['Le pont ouvre. Continuer la lecture', 'Le pont ouvre.'],
  ['A ponte abre. Continue a ler', 'A ponte abre.'],
  ['Most otwarty. Artykuł Most pochodzi z serwisu Strona.', 'Most otwarty.'],
  ['Мост открыт. Сообщение Мост появились сначала на Сайт.', 'Мост открыт.'],
  ['Cầu mở. Đọc tiếp', 'Cầu mở.'],
  ['الجسر مفتوح. اقرأ المزيد', 'الجسر مفتوح.'],
  ['Jembatan dibuka. Baca selengkapnya', 'Jembatan dibuka.'],
  ['पुल खुला। और पढ़ें', 'पुल खुला।'],
  ['Broen åbner. Læs hele artiklen', 'Broen åbner.'],
  ['Silta avataan. Lue koko juttu', 'Silta avataan.'],
  ['A híd megnyílik. Tovább…', 'A híd megnyílik.'],
  ['הגשר נפתח. להמשך קריאה', 'הגשר נפתח.'],
  ['Köprü açılıyor. Haberin devamı için tıklayın', 'Köprü açılıyor.'],
  ['橋が開通した。投稿 橋 は サイト に最初に表示されました。', '橋が開通した。'],
  ['جسر مفتوح. ظهرت المقالة جسر أولاً على موقع.', 'جسر مفتوح.'],
  ['Cầu mở. Bài viết Cầu đã xuất hiện đầu tiên vào ngày Site.', 'Cầu mở.'],
  ['Il ponte apre. L’articolo Ponte sembra essere il primo su Sito.', 'Il ponte apre.'],
  ['We talk of bridges. Hosted on Acast. See acast.com/privacy for more information.', 'We talk of bridges.'],
  ['The bridge opens. Permalink', 'The bridge opens.'],
  ['The bridge opens. More »', 'The bridge opens.'],
  ['Lead here. Tweet This! Share on Facebook', 'Lead here.'],
  ['新桥今日通车。展开全文', '新桥今日通车。'],
  ['新桥今日通车。原文链接：https://x.example/1', '新桥今日通车。'],
  ['新桥今日通车。全文阅读>>', '新桥今日通车。'],
  ['新しい橋が開通した。続きはこちら', '新しい橋が開通した。'],
  ['새 다리가 열렸다. 자세히 보기', '새 다리가 열렸다.'],
  ['Die Brücke öffnet. Jetzt lesen', 'Die Brücke öffnet.'],
  ['The bridge opens. View Entire Post ›', 'The bridge opens.'],
  ['The bridge opens. Get the full story here', 'The bridge opens.'],
  ['The bridge opens. Discuss this on our forum.', 'The bridge opens.'],
  ['Η γέφυρα ανοίγει. Περισσότερα', 'Η γέφυρα ανοίγει.'],
  ['Comments', ''],
  ['Comments URL: https://x.example/1', ''],
  ['Subscribe to continue reading. Already a subscriber? Sign in.', ''],
  ['The bridge opens. Subscribe to continue reading. Sign in.', 'The bridge opens.'],
  [
    'We value your privacy. We and our 842 partners store information on a device. You can accept or reject.',
    '',
  ],
  [
    'Wir verwenden Cookies, um Inhalte anzuzeigen. Die Brücke öffnet im Mai für alle.',
    'Die Brücke öffnet im Mai für alle.',
  ],
  ['登录后继续阅读', ''],
])('%j is %j', (text, said) => {
  expect(withoutBoilerplate(text)).toBe(said);
});

test.each([
  'Websites that use cookies must ask for consent.',
  'The comments were made on Monday.',
  'Experts say people should read more books.',
  'Children continue reading at home.',
  'The song first appeared on a record in 1923.',
  'The post office opened on Friday.',
  'Three bridges are open. More are to come.',
  'The museum has a new hall. Listen to this.',
  'It paid for an advertisement.',
  'The minister speaks. Discuss this on Monday with the parents of the school, she says.',
  '记者看到原文。全文阅读量超过一亿。',
])('%j stays', (text) => {
  expect(withoutBoilerplate(text)).toBe(text);
});

test.each([
  'Reading falls in schools. Read more books this summer, the minister told pupils on Monday.',
  'The rates rose. Comments: the bank said that it would act in June.',
  'Full story of the fire: how it began and who was saved.',
  'Continue reading programmes in prison, judge orders.',
  'Mehr lesen Kinder in Deutschland als je zuvor, zeigt eine Studie.',
  'Tovább nőtt az infláció Magyarországon, közölte a hivatal.',
  'В городе пожар. Подробнее о причинах рассказал мэр города.',
])('a sentence that begins like a link stays: %s', (text) => {
  expect(withoutBoilerplate(text)).toBe(text);
});
