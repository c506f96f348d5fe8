/** Feeds of the corpora that the newsroom reads otherwise than feedparser, by the reason. */
export const DIFFERENCES: readonly { reason: string; feeds: readonly string[] }[] = [
  {
    reason: 'feedparser 6 does not read JSON',
    feeds: [
      'odd-feeds/feedparser/tests__json__example.json',
      'odd-feeds/gofeed/testdata__extensions__dublincore__dublincore_channel_fields.json',
      'odd-feeds/gofeed/testdata__extensions__dublincore__dublincore_item_fields.json',
      'odd-feeds/gofeed/testdata__extensions__dublincore__dublincore_item_multiple_values.json',
      'odd-feeds/gofeed/testdata__translator__json__json10_full_expected.json',
      'odd-feeds/gofeed/testdata__translator__json__json11_full_expected.json',
    ],
  },
  {
    reason: 'CDF is no format of the web any more',
    feeds: ['odd-feeds/feedparser/tests__wellformed__base__cdf_item_abstract_xml_base.xml'],
  },
  {
    reason:
      'an id is compared as it is written, never resolved (RFC 4287, section 4.2.6.1), and no link if it is no address',
    feeds: [
      'odd-feeds/feedparser/tests__wellformed__atom10__entry_id_with_attributes.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_id_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__lang__http_content_language_entry_title_inherit_2.xml',
      'odd-feeds/feedparser/tests__wellformed__node_precedence__atom10_id.xml',
      'odd-feeds/gofeed/testdata__parser__atom__entry_id_xml_base.xml',
    ],
  },
  {
    reason:
      'a relative link without xml:base belongs to the page that the feed names, wherever the feed was read',
    feeds: ['feeds/gulp-atom.atom'],
  },
  {
    reason: 'of several links the first to a page counts, as in gofeed; feedparser takes the last',
    feeds: [
      'odd-feeds/gofeed/testdata__parser__rss__rdf_item_links.xml',
      'odd-feeds/gofeed/testdata__parser__rss__rss_channel_item_links.xml',
      'odd-feeds/gofeed/testdata__parser__rss__rss_channel_item_uri_at_protocol.xml',
    ],
  },
  {
    reason: 'feedparser reads the text of an enclosure’s link as the page, against its own test',
    feeds: [
      'odd-feeds/feedparser/tests__wellformed__atom10__entry_link_no_href_link_priority.xml',
      'odd-feeds/feedparser/tests__wellformed__atom10__entry_link_rel_enclosure_no_href.xml',
      'odd-feeds/feedparser/tests__wellformed__atom__entry_link_no_href_link_priority.xml',
      'odd-feeds/feedparser/tests__wellformed__atom__entry_link_rel_enclosure_no_href.xml',
    ],
  },
  {
    reason: 'a guid or an id that is no address is no link',
    feeds: ['odd-feeds/gofeed/testdata__parser__rss__rss_channel_item_guid_no_permalink.xml'],
  },
  {
    reason: 'feedparser takes the title of a member of the entry, against its own test',
    feeds: ['odd-feeds/feedparser/tests__wellformed__node_precedence__atom10_title.xml'],
  },
  {
    reason: 'entities that a document type declares are not expanded: they are how one attacks a parser',
    feeds: ['odd-feeds/feedparser/tests__wellformed__rss__entity_in_doctype.xml'],
  },
  {
    reason: 'a page whose bytes are not what it says is guessed differently',
    feeds: ['odd-feeds/feedparser/tests__encoding__bozo_linenoise.xml'],
  },
  {
    reason: 'what was decoded wrongly before it was written is not guessed back',
    feeds: [
      'odd-feeds/feedparser/tests__encoding__bozo_double-encoded-html.xml',
      'odd-feeds/feedparser/tests__encoding__double-encoded-html.xml',
    ],
  },
  {
    reason: 'HTML’s parser makes a comment of it, so nothing is left to be read',
    feeds: ['odd-feeds/feedparser/tests__wellformed__rss__item_description_not_a_doctype.xml'],
  },
  {
    reason:
      'a text of nothing but the words of a link, such as “click here”, is left out, and nothing is left',
    feeds: [
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_content_base64_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_content_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_content_inline_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_summary_base64_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_summary_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_entry_summary_inline_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_item_body_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_item_content_encoded_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_item_description_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_item_fullitem_base_content_location.xml',
      'odd-feeds/feedparser/tests__wellformed__base__http_item_xhtml_body_base_content_location.xml',
    ],
  },
  {
    reason: 'feedparser does not read days and months in Portuguese',
    feeds: ['feeds/uolNoticias.rss'],
  },
];
