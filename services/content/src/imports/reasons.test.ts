import { expect, test } from 'vitest';
import { reasonOf } from './reasons.ts';

test.each([
  ['the slug a is taken: it becomes a-2', 'slug_taken', 'a-2'],
  ['removed <form>, onclick on <p> (2)', 'html_removed', '<form>, onclick on <p> (2)'],
  ['tag name: shortened to 100 characters', 'shortened', 'tag name'],
  ['alternative text of its picture: shortened to 255 characters', 'shortened', expect.any(String)],
  ['featured_image: left out, it is longer than 500 characters', 'too_long_left_out', 'featured_image'],
  ['tags a, b: left out, an article has at most 50', 'terms_left_out', 'a, b'],
  ['shortcode [contact]: removed', 'shortcode_removed', 'contact'],
  ['shortcode [contact]: left as text; --clean removes it', 'shortcode_kept', 'contact'],
  ['block latest-posts: has no HTML of its own; left out', 'block_left_out', 'latest-posts'],
  ['pattern 7: is not in the export; left out', 'pattern_lost', '7'],
  ['[gallery]: the attachments 1, 2 are not in the export; left out', 'files_missing', 'gallery'],
  ['also in Music, Art: made tags', 'became_tags', 'Music, Art'],
  ['taxonomy series: not kept', 'taxonomy_lost', 'series'],
  ['its picture (attachment 9) is not in the file; left out', 'picture_missing', '9'],
  [
    'feature_image /a.jpg: is no whole address; left out: give --site',
    'address_wrong',
    'feature_image /a.jpg',
  ],
  ['/a.jpg: leads nowhere without the address of its site', 'address_relative', '/a.jpg'],
  ['protected by a password in WordPress: imported as a draft', 'made_draft', null],
  ['for members only in Ghost: imported as a draft', 'made_draft', null],
  ['codeinjection_head, og_title: not kept', 'not_kept', 'codeinjection_head, og_title'],
  ['page: not an article', 'not_article', 'page'],
  ['pattern: is put into the articles that show it', 'shared_pattern', null],
  ['content: <script> is not allowed (line 1, column 1)', 'html_not_allowed', '<script>'],
  ['content: must have at least 50 characters of text, not counting tags', 'too_short', null],
  ['has no html, only lexical: save it again in Ghost, and export anew', 'no_html', 'lexical'],
  ['title: is required', 'value_refused', 'title'],
  ['tag "x": must not be empty', 'value_refused', 'tag "x"'],
  ['/tmp/a/file: not well-formed: line 12: a lone &; write &amp; for it', 'malformed', '12'],
  ['/tmp/a/file: this is not an export of WordPress (WXR)', 'not_wordpress', null],
  ['/tmp/a/file is not UTF-8; convert it, with iconv for example', 'not_utf8', null],
  ['the export leaves out the address of the site: give --site https://…', 'site_missing', null],
  ['something new', 'other', null],
])('%s', (sentence, code, about) => {
  expect(reasonOf(sentence)).toEqual({ code, about, text: sentence });
});
