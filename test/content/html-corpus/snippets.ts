/** HTML that publishers write and paste, as editors and other sites produce it. */
export const SNIPPETS: readonly (readonly [what: string, html: string])[] = [
  ['paragraphs with emphasis', '<p>One <strong>two</strong> <em>three</em> <mark>four</mark>.</p>'],
  [
    'headings with anchors',
    '<h2 id="images"><a href="#images" class="anchor" aria-hidden="true">#</a> Images</h2>',
  ],
  [
    'a link that opens elsewhere',
    '<a href="https://a.example/?q=javascript:x" target="_blank" rel="noopener nofollow">x</a>',
  ],
  ['mail and telephone', '<a href="mailto:a@b.example?subject=Hi">x</a> <a href="tel:+15550100">y</a>'],
  ['relative links', '<a href="/a/b">x</a><a href="../c">y</a><a href="?page=2">z</a><a href="">w</a>'],
  ['a time', '<time datetime="2026-03-01T12:00:00Z" class="published">1 March</time>'],
  [
    'a block quote',
    '<blockquote cite="https://a.example/"><p>x</p><footer>— <cite>A</cite></footer></blockquote>',
  ],
  [
    'a figure',
    '<figure class="wp-block-image size-large"><img src="https://a.example/a.jpg" alt="A" width="1024" height="683"><figcaption>x</figcaption></figure>',
  ],
  [
    'srcset and sizes',
    '<img src="a.jpg" srcset="a-300.jpg 300w, https://a.example/a.jpg 1024w" sizes="(max-width: 600px) 100vw, 600px" loading="lazy" decoding="async" fetchpriority="low" alt="">',
  ],
  [
    'a picture',
    '<picture><source srcset="a.avif" type="image/avif" media="(min-width: 800px)"><source srcset="a.webp 2x" type="image/webp"><img src="a.jpg" alt="x"></picture>',
  ],
  ['an inline image', '<img src="data:image/png;base64,iVBORw0KGgo=" alt="">'],
  [
    'a lazy image',
    '<img data-src="https://a.example/a.jpg" data-srcset="a.jpg 2x" class="lazyload" alt="x">',
  ],
  [
    'a video',
    '<video controls preload="metadata" poster="p.jpg" playsinline><source src="v.mp4" type="video/mp4"><track kind="captions" src="c.vtt" srclang="en" label="English" default></video>',
  ],
  ['an audio', '<audio controls src="https://a.example/a.mp3"></audio>'],
  [
    'YouTube',
    '<iframe width="560" height="315" src="https://www.youtube-nocookie.com/embed/abc?si=x&amp;start=5" title="YouTube video player" frameborder="0" allow="accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share" referrerpolicy="strict-origin-when-cross-origin" allowfullscreen></iframe>',
  ],
  [
    'Vimeo',
    '<div style="padding:56.25% 0 0 0;position:relative;"><iframe src="https://player.vimeo.com/video/1?h=x" style="position:absolute;top:0;left:0;width:100%;height:100%;" frameborder="0" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen webkitallowfullscreen mozallowfullscreen></iframe></div>',
  ],
  [
    'Spotify',
    '<iframe style="border-radius:12px" src="https://open.spotify.com/embed/track/x" width="100%" height="352" allowfullscreen="" allow="autoplay; clipboard-write; encrypted-media" loading="lazy"></iframe>',
  ],
  [
    'SoundCloud',
    '<iframe width="100%" height="166" scrolling="no" frameborder="no" allow="autoplay" src="https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/1&color=%23ff5500"></iframe>',
  ],
  [
    'a map',
    '<iframe src="https://www.google.com/maps/embed?pb=!1m18" width="600" height="450" style="border:0;" allowfullscreen="" loading="lazy"></iframe>',
  ],
  [
    'a sandboxed embed',
    '<iframe src="https://codepen.example/x" sandbox="allow-scripts" title="x">See the pen.</iframe>',
  ],
  ['a protocol-relative embed', '<iframe src="//www.dailymotion.com/embed/video/x"></iframe>'],
  [
    'a tweet without its script',
    '<blockquote class="twitter-tweet" data-lang="en" data-dnt="true"><p lang="en" dir="ltr">x <a href="https://t.co/x">pic</a></p>&mdash; A (@a) <a href="https://twitter.com/a/status/1?ref_src=twsrc%5Etfw">May 1</a></blockquote>',
  ],
  [
    'an Instagram post without its script',
    '<blockquote class="instagram-media" data-instgrm-permalink="https://www.instagram.com/p/x/" data-instgrm-version="14" style=" background:#FFF; border:0; max-width:540px; width:calc(100% - 2px);"><a href="https://www.instagram.com/p/x/">x</a></blockquote>',
  ],
  [
    'a table',
    '<table class="t"><caption>x</caption><colgroup><col span="2" style="width:50%"></colgroup><thead><tr><th scope="col" abbr="A">A</th><th>B</th></tr></thead><tbody><tr><td colspan="2" rowspan="1" headers="a">x</td></tr></tbody><tfoot><tr><td>y</td></tr></tfoot></table>',
  ],
  [
    'an old table',
    '<table border="1" cellpadding="4" cellspacing="0" width="100%" bgcolor="#fff" align="center"><tr valign="top"><td nowrap align="right">x</td></tr></table>',
  ],
  [
    'code',
    '<pre class="language-html"><code class="hljs" data-lang="html">&lt;script&gt;alert(1)&lt;/script&gt;</code></pre>',
  ],
  ['inline code', '<p><code>a &lt; b &amp;&amp; c</code> <kbd>Ctrl</kbd> <samp>x</samp> <var>y</var></p>'],
  [
    'highlighted code',
    '<div class="highlight"><pre tabindex="0"><span class="k">if</span> <span style="color:#f00">x</span></pre></div>',
  ],
  [
    'MathML',
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mfrac><mrow><mi>a</mi><mo stretchy="false">+</mo><mn>1</mn></mrow><msqrt><mi mathvariant="bold">b</mi></msqrt></mfrac></math>',
  ],
  [
    'KaTeX',
    '<span class="katex"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^2</annotation></semantics></math><span class="katex-html" aria-hidden="true"><span class="strut" style="height:0.8141em;"></span></span></span>',
  ],
  [
    'MathJax',
    '<mjx-container class="MathJax" jax="CHTML" tabindex="0" ctxtmenu_counter="1"><mjx-assistive-mml unselectable="on" display="inline"><math><mtext>if </mtext><mspace width="1em"/></math></mjx-assistive-mml></mjx-container>',
  ],
  [
    'an icon',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="M0 0h24v24H0z"/><circle cx="12" cy="12" r="10"></circle></svg>',
  ],
  [
    'lists',
    '<ul><li>a<ol start="3" type="a" reversed><li value="4">b</li></ol></li></ul><dl><dt>x</dt><dd>y</dd></dl>',
  ],
  [
    'a list of tasks',
    '<ul class="contains-task-list"><li><input type="checkbox" disabled checked> done</li></ul>',
  ],
  [
    'footnotes',
    '<sup id="fnref:1"><a href="#fn:1" class="footnote-ref" role="doc-noteref">1</a></sup><section class="footnotes" role="doc-endnotes"><ol><li id="fn:1"><p>x <a href="#fnref:1">↩︎</a></p></li></ol></section>',
  ],
  ['details', '<details open><summary>More</summary><p>x</p></details>'],
  [
    'ruby and bidi',
    '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby><bdo dir="rtl">x</bdo><bdi>y</bdi><p lang="ar" dir="rtl">س</p>',
  ],
  [
    'edits and abbreviations',
    '<del datetime="2026-01-01">a</del><ins cite="/x">b</ins><abbr title="World">W</abbr><dfn>c</dfn><q cite="/y">d</q><s>e</s><u>f</u><small>g</small>',
  ],
  [
    'microdata',
    '<div itemscope itemtype="https://schema.org/Recipe"><span itemprop="name">x</span><meta itemprop="datePublished" content="2026-01-01"></div>',
  ],
  ['RDFa', '<p vocab="https://schema.org/" typeof="Person" resource="#a"><span property="name">A</span></p>'],
  [
    'blocks of an editor',
    '<!-- wp:paragraph {"align":"center"} --><p class="has-text-align-center">x</p><!-- /wp:paragraph -->',
  ],
  [
    'sections',
    '<article><header><h1>x</h1></header><nav aria-label="Contents"><ul><li><a href="#a">a</a></li></ul></nav><main><aside role="note">y</aside></main><footer><address>z</address></footer></article>',
  ],
  [
    'old presentation',
    '<center><font color="red" face="Arial" size="2">x</font></center><p align="justify"><big>y</big><tt>z</tt><strike>w</strike></p><br clear="all"><hr noshade size="1">',
  ],
  [
    'a button-like link',
    '<div class="wp-block-buttons"><a class="wp-block-button__link" href="https://a.example/" download>Download</a></div>',
  ],
  [
    'a gallery',
    '<div class="gallery" style="display:grid;grid-template-columns:repeat(2,1fr)"><a href="a.jpg"><img src="a-t.jpg" alt="a" width="10" height="10"></a></div>',
  ],
  [
    'sloppy markup',
    '<p>a < b > c & d <p>unclosed <b>bold <i>both</i></b><ul><li>x<li>y</ul></p><br/><img src="a.jpg" alt="x" />',
  ],
  [
    'measures',
    '<progress value="3" max="10"></progress><meter min="0" max="1" value="0.5" low="0.2">x</meter><data value="7">seven</data><wbr>',
  ],
  [
    'a task list of TipTap',
    '<ul data-type="taskList"><li data-checked="true" data-type="taskItem"><label><input type="checkbox" checked="checked"><span></span></label><div><p>x</p></div></li></ul>',
  ],
  ['an embed of CKEditor', '<figure class="media"><oembed url="https://video.example/1"></oembed></figure>'],
  [
    'what Word leaves behind',
    '<p class="MsoNormal" style="margin-left:-9pt"><b>x<o:p></o:p></b></p><st1:place w:st="on">y</st1:place>',
  ],
  [
    'a map',
    '<img src="a.png" usemap="#m" alt=""><map name="m"><area shape="rect" coords="0,0,9,9" href="/x" alt="x"></map>',
  ],
  ['a button', '<button type="button" class="copy" aria-label="Copy" draggable="false">Copy</button>'],
  ['SVG with a title', '<svg viewBox="0 0 9 9"><title>x</title><desc>y</desc><path d="M0 0"/></svg>'],
  ['a group', '<fieldset disabled><legend>x</legend>y</fieldset><div contenteditable="false">z</div>'],
  ['elements and attributes of a CMS', '<byline wotshield=1 channel="a:b">x</byline>'],
];
