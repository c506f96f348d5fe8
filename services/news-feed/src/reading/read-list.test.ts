import { describe, expect, test } from 'vitest';
import { readList } from './list.ts';
import { FOUND, listSelectors } from './list-selectors.ts';
import { feedOf } from './parse-feed.ts';

const ADDRESS = 'https://paper.example/news/';

const MENU = ['Politics and parliament', 'Business and markets', 'Sport and results', 'Culture and reviews']
  .map((name, index) => `<li><a href="/section/${index}">${name}</a></li>`)
  .join('');

const POPULAR = Array.from({ length: 8 }, (_, index) => {
  return `<li><a href="/2019/01/0${index + 1}/old">An older report that many have read, number ${index}</a></li>`;
}).join('');

/** A page with the usual surroundings of news: navigation, footer and so on. */
function page(main: string, { lang = 'en', head = '' } = {}): string {
  return `<!doctype html><html lang="${lang}"><head><title>The Paper</title>${head}</head><body>
    <div id="site-nav"><ul>${MENU}</ul></div>${main}
    <div class="sidebar"><h3>Most read</h3><ul>${POPULAR}</ul></div>
    <footer><ul>${MENU}</ul></footer></body></html>`;
}

function entries(html: string, selectors = FOUND) {
  return feedOf(readList(html, ADDRESS, selectors), ADDRESS).entries;
}

function cards(count: number, card: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => card(index + 1)).join('\n');
}

test('the news are found among what else a page repeats, each once, with its picture, text and time', () => {
  const html = page(
    `<div class="grid">${cards(
      5,
      (n) => `<div class="post-${n} tag-news">
        <a href="../story/${n}?utm_source=home#top"><img data-src="https://paper.example/${n}.jpg" src="data:," alt="Picture ${n}"></a>
        <h2><a href="/story/${n}?utm_source=home">The council decides on bridge number ${n}</a></h2>
        <time datetime="2026-11-${10 + n}T08:30:00+01:00">today</time>
        <p>After a long debate the council has decided what becomes of bridge number ${n}.</p>
        <a href="/story/${n}?utm_source=home#comments">12 comments</a></div>`,
    )}</div>`,
  );
  const found = entries(html);
  expect(found).toHaveLength(5);
  expect(found[0]).toEqual({
    key: 'https://paper.example/story/1?utm_source=home',
    title: 'The council decides on bridge number 1',
    summary: 'After a long debate the council has decided what becomes of bridge number 1.',
    url: 'https://paper.example/story/1?utm_source=home',
    publishedAt: new Date('2026-11-11T07:30:00Z'),
    image: { url: 'https://paper.example/1.jpg', alt: 'Picture 1' },
    language: 'en',
  });
  expect(readList(html, ADDRESS, FOUND).title?.value).toBe('The Paper');
});

describe('dates', () => {
  test.each([
    ['en', 'Posted on November 3rd, 2026 by Ann', '2026-11-03'],
    ['de', '3. November 2026', '2026-11-03'],
    ['pt', '3 de novembro de 2026', '2026-11-03'],
    ['fr', 'Publié le 1er février 2026', '2026-02-01'],
    ['es', '3 de ago. de 2026', '2026-08-03'],
    ['ru', '3 ноября 2026', '2026-11-03'],
    ['zh', '2026年11月3日 08:15', '2026-11-03T08:15:00.000Z'],
    ['pl', '03.11.2026', '2026-11-03'],
    // Nothing tells which of the two is the month.
    ['en', '03/04/2026', null],
    ['en', 'two hours ago', null],
    ['en', '31 February 2026', null],
  ])('%s: %s', (lang, text, expected) => {
    const html = page(
      cards(
        4,
        (n) => `<div><h3><a href="/a/${n}">A report on the harbour, number ${n}</a></h3><i>${text}</i></div>`,
      ),
      { lang },
    );
    const found = entries(html);
    expect(found).toHaveLength(4);
    expect(found[0]?.publishedAt).toEqual(expected === null ? null : new Date(expected));
  });

  test('a day in the address is one', () => {
    const html = page(
      cards(4, (n) => `<h3><a href="/2026/11/0${n}/x">A report on the harbour, number ${n}</a></h3>`),
    );
    expect(entries(html).map(({ publishedAt }) => publishedAt?.getUTCDate())).toEqual([1, 2, 3, 4]);
  });
});

test('articles are known by their place, not by what a theme calls it', () => {
  const report = (address: string) => (n: number) => {
    return `<article class="hentry tag-news category-town"><h2><a href="${address}/${n}.html">A report on the harbour, number ${n}</a></h2></article>`;
  };
  for (const [around, address] of [
    ['<div class="widget Blog">', '/archives'],
    ['<form id="aspnetForm">', '/upload/user/2026'],
    ['<div class="content-sidebar-wrap"><main>', '/town'],
  ]) {
    const html = page(`${around}${cards(12, report(address ?? ''))}`.replace(/$/, '</main></form></div>'));
    expect(entries(html).map(({ url }) => new URL(url).pathname)[0]).toBe(`${address}/1.html`);
  }
});

test('the first article is built differently, and a list is not a menu of the same build', () => {
  const html =
    page(`<div><div><ul>${cards(5, (n) => `<li><a href="/s/${n}">Section ${n}</a></li>`)}</ul></div>
    <div><ul><li><div><h2><a href="/a/0">The report that leads the page today</a></h2></div></li>
    ${cards(6, (n) => `<li><a href="/a/${n}">A longer report on the harbour, number ${n}</a></li>`)}</ul></div></div>`);
  expect(
    entries(html)
      .map(({ url }) => url.slice(-2))
      .sort(),
  ).toEqual(['/0', '/1', '/2', '/3', '/4', '/5', '/6']);
});

test('JSON-LD says when, and what is listed where a program draws the page', () => {
  const articles = [1, 2, 3, 4].map((n) => ({
    '@type': 'NewsArticle',
    headline: `A report on the harbour, number ${n}`,
    url: `/a/${n}`,
    datePublished: `2026-11-0${n}T10:00:00Z`,
    image: [{ '@type': 'ImageObject', url: `https://paper.example/${n}.png` }],
  }));
  const head = `<script type="application/ld+json">{broken</script><script type="application/ld+json">${JSON.stringify(
    {
      '@graph': [
        {
          '@type': 'BreadcrumbList',
          itemListElement: [1, 2, 3].map((n) => ({ '@type': 'ListItem', name: `Level ${n}`, url: `/${n}` })),
        },
        { '@type': 'ItemList', itemListElement: articles.map((item) => ({ '@type': 'ListItem', item })) },
      ],
    },
  )}</script>`;
  const listed = page(
    cards(4, (n) => `<h3><a href="/a/${n}">The harbour, report number ${n}</a></h3>`),
    { head },
  );
  for (const html of [page('<div id="app"></div>', { head }), listed]) {
    expect(entries(html).map(({ publishedAt }) => publishedAt?.toISOString().slice(0, 13))).toEqual(
      [1, 2, 3, 4].map((n) => `2026-11-0${n}T10`),
    );
    expect(entries(html)[0]?.image?.url).toBe('https://paper.example/1.png');
  }
});

test('a page without a list has no entries', () => {
  for (const html of [
    '',
    'no markup',
    page(`<article><h1>One report</h1><p>${'It has a text. '.repeat(60)}</p></article>`),
  ]) {
    expect(entries(html)).toEqual([]);
  }
});

test('an editor says where the entries and their members are', () => {
  const html = page(
    cards(
      2,
      (n) => `<tr class="row"><td>03.0${n}.2026</td><td><b>Minutes of meeting ${n}</b></td>
      <td><a href="/who">Ann</a> <a class="file" href="/minutes/${n}.pdf">PDF</a></td><td class="s">In short</td></tr>`,
    ).replace(/^/, '<table>'),
  );
  const selectors = 'tr.row; title td b; link a.file; date td:first-child; summary td.s';
  expect(entries(html, selectors)).toMatchObject([
    {
      title: 'Minutes of meeting 1',
      url: 'https://paper.example/minutes/1.pdf',
      summary: 'In short',
      publishedAt: new Date('2026-01-03'),
    },
    { title: 'Minutes of meeting 2', url: 'https://paper.example/minutes/2.pdf' },
  ]);
  expect(entries(html, 'article.gone')).toEqual([]);
  for (const wrong of ['li[', 'li; title >>', 'li:nonsense', 'li:has(* :has(b))', '', 'a'.repeat(1001)]) {
    expect(() => listSelectors(wrong), wrong).toThrow(/is not a CSS selector|at most 1000/);
  }
});

test('pages of 10 MiB, nested without end, with links without end, overlapping lists or nothing but tags, are read', () => {
  const news = cards(4, (n) => `<h3><a href="/a/${n}">A report on the harbour, number ${n}</a></h3>`);
  const names = Array.from({ length: 1600 }, (_, n) => `<x${n}><a href="/PART/${n}">x</a></x${n}>`).join('');
  const part = (n: number) => `<div>${names.replaceAll('PART', String(n))}${'<i>x</i>'.repeat(30_000)}</div>`;
  const sizes = [
    `<main>${news}</main>${part(1)}${part(2)}${part(3)}`,
    `<main>${news}</main>${'<div>'.repeat(2_000_000)}`,
    `<main>${news}</main>${'<a href="/x">'.repeat(800_000)}`,
    `<main>${news}</main>${'<p><b><i>'.repeat(1_000_000)}`,
    `<main>${news}</main>${'<'.repeat(500_000)}`,
  ].map((html) => entries(html).length);
  expect(sizes).toEqual([4, 4, 4, 4, 4]);
});
