/**
 * Texts that try to run `alert(1)` in a reader's page with the known techniques: each one either is refused
 * or does nothing when opened. They were written for this repository.
 */

/** Handlers that need little or no action by a reader, with their elements. */
const HANDLERS = [
  ...['<img src=x onerror=alert(1)>', '<img/src/onerror=alert(1)>', '<IMG SRC=x OnErRoR="alert(1)">'],
  ...['<image src=x onerror=alert(1)>', '<svg onload=alert(1)>', '<svg/onload=alert(1)>'],
  ...['<body onload=alert(1)>', '<body onpageshow=alert(1)>', '<body onhashchange=alert(1)>'],
  ...['<html onclick=alert(1)>', '<frameset onload=alert(1)>', '<frameset onpageshow=alert(1)>'],
  ...['<iframe onload=alert(1)></iframe>', '<iframe src="https://a.example/" onload=alert(1)></iframe>'],
  ...[
    '<object data=x onerror=alert(1)></object>',
    '<embed src=x onload=alert(1)>',
    '<link onerror=alert(1) href=x>',
  ],
  ...[
    '<script onerror=alert(1) src=x></script>',
    '<style onload=alert(1)></style>',
    '<track onerror=alert(1) src=x>',
  ],
  ...['<video src=x onerror=alert(1)></video>', '<video><source onerror=alert(1)></video>'],
  ...[
    '<audio src=x onerror=alert(1)>',
    '<audio onloadstart=alert(1) src=x>',
    '<video onloadstart=alert(1) src=x>',
  ],
  ...['<video poster=x onerror=alert(1)>', '<picture><img onerror=alert(1) src=x></picture>'],
  ...[
    '<details open ontoggle=alert(1)>x</details>',
    '<details ontoggle=alert(1) open>',
    '<dialog open onclose=alert(1)>',
  ],
  ...[
    '<input autofocus onfocus=alert(1)>',
    '<textarea autofocus onfocus=alert(1)>',
    '<select autofocus onfocus=alert(1)>',
  ],
  ...[
    '<button autofocus onfocus=alert(1)>x',
    '<a href=# autofocus onfocus=alert(1)>x',
    '<p tabindex=0 autofocus onfocus=alert(1)>x',
  ],
  ...['<div contenteditable autofocus onfocus=alert(1)>x', '<keygen autofocus onfocus=alert(1)>'],
  ...['<marquee onstart=alert(1)>x</marquee>', '<marquee loop=1 width=0 onfinish=alert(1)>x</marquee>'],
  ...[
    '<b onmouseover=alert(1)>x</b>',
    '<p onclick=alert(1)>x',
    '<p onpointerenter=alert(1)>x',
    '<p oncopy=alert(1)>x',
  ],
  ...[
    '<p style="animation:x 1s" onanimationstart=alert(1)>x',
    '<p onanimationend=alert(1)>x',
    '<p ontransitionend=alert(1)>x',
  ],
  ...[
    '<p onbeforetoggle=alert(1) popover id=x>x',
    '<p onscroll=alert(1)>x',
    '<p onwheel=alert(1)>x',
    '<p onfocusin=alert(1) tabindex=1>x',
  ],
  ...[
    '<p oncontentvisibilityautostatechange=alert(1) style="content-visibility:auto">x',
    '<p onsecuritypolicyviolation=alert(1)>x',
  ],
  ...[
    '<form onformdata=alert(1)><input></form>',
    '<form onsubmit=alert(1)><button>x</form>',
    '<form><input oninvalid=alert(1) required></form>',
  ],
  ...[
    '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
    '<svg><set onbegin=alert(1) attributename=x to=y>',
    '<svg><animate onend=alert(1) attributeName=x dur=1ms>',
  ],
  ...[
    '<svg><image href=x onerror=alert(1)>',
    '<svg><g onload=alert(1)></g></svg>',
    '<svg><title onload=alert(1)></title></svg>',
  ],
  ...[
    '<math onclick=alert(1)>x</math>',
    '<math><mi onmouseover=alert(1)>x</mi></math>',
    '<xss onclick=alert(1)>x</xss>',
  ],
  ...[
    '<img src=x:alert(1) onerror=eval(src)>',
    '<img src=1 onerror=&#97;lert(1)>',
    '<img src=x onerror="&#x61;lert(1)">',
  ],
  ...[
    '<img src=x onerror\n=alert(1)>',
    '<img src=x\tonerror=alert(1)>',
    '<img src=x\fonerror=alert(1)>',
    '<img src="x"onerror="alert(1)">',
  ],
  ...[
    '<img src=`x`onerror=alert(1)>',
    '<img """><img src=x onerror=alert(1)>">',
    "<img '''><img src=x onerror=alert(1)>'>",
  ],
  ...[
    '<<img src=x onerror=alert(1)//<',
    '<img src=x onerror=alert(1) ',
    '<img src=x onerror=alert(1)//',
    '<svg onload=alert(1)//',
  ],
  ...[
    '<img srcset=x onerror=alert(1)>',
    '<img src=x onerror=alert(1) loading=eager>',
    '<x/onclick=alert(1)>x',
  ],
];

/** Ways to write a script element. */
const SCRIPTS = [
  ...[
    '<script>alert(1)</script>',
    '<SCRIPT>alert(1)</SCRIPT>',
    '<script/x>alert(1)</script>',
    '<script\n>alert(1)</script\n>',
  ],
  ...[
    '<script src=data:,alert(1)></script>',
    '<script src="data:text/javascript,alert(1)"></script>',
    '<script type=module>alert(1)</script>',
  ],
  ...[
    '<script type="application/ld+json" src=data:,alert(1)></script>',
    '<script language=javascript>alert(1)</script>',
  ],
  ...[
    '<script>alert(1)//',
    '<script>alert(1)<!--',
    '<scr<script>ipt>alert(1)</script>',
    '<<script>alert(1)//<</script>',
  ],
  ...[
    '<script type="application/ld+json">{}</script><script>alert(1)</script>',
    '<script type=importmap>{}</script>',
  ],
  ...[
    '<svg><script>alert(1)</script></svg>',
    '<svg><script>alert&lpar;1)</script></svg>',
    '<svg><script href=data:,alert(1) />',
  ],
  ...[
    '<svg><script xlink:href=data:,alert(1)></script></svg>',
    '<math><script>alert(1)</script></math>',
    '<svg><a><script>alert(1)</script></a></svg>',
  ],
  ...[
    '<template><script>alert(1)</script></template>',
    '<noscript><script>alert(1)</script></noscript>',
    '<select><script>alert(1)</script></select>',
  ],
  ...[
    '<table><script>alert(1)</script></table>',
    '<textarea></textarea><script>alert(1)</script>',
    '<title></title><script>alert(1)</script>',
  ],
  ...[
    '</div></body></html><script>alert(1)</script>',
    '</script><script>alert(1)</script>',
    '</style><script>alert(1)</script>',
  ],
  ...[
    '<!--><script>alert(1)</script>',
    '<!---><script>alert(1)</script>',
    '<!-- --!><script>alert(1)</script>',
    '<!-- ><script>alert(1)</script> -->',
  ],
  ...[
    '<?xml version="1.0"?><script>alert(1)</script>',
    '<![CDATA[<script>alert(1)</script>]]>',
    '<!doctype html><script>alert(1)</script>',
  ],
  ...[
    '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
    '<comment><script>alert(1)</script></comment>',
  ],
];

/** Spellings of a URL that runs code, as written in a quoted attribute. */
const CODE_URLS = [
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    '\tjavascript:alert(1)',
    '\njavascript:alert(1)',
  ],
  ...[
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    'java\rscript:alert(1)',
    '\u0001javascript:alert(1)',
    '\u001fjavascript:alert(1)',
  ],
  ...[
    '&#106;avascript:alert(1)',
    '&#x6a;avascript:alert(1)',
    '&#0000106avascript:alert(1)',
    'javascript&colon;alert(1)',
    'javascript&#58;alert(1)',
  ],
  ...[
    'java&Tab;script:alert(1)',
    'java&NewLine;script:alert(1)',
    '&#1;javascript:alert(1)',
    'javascript://x/%0aalert(1)',
    'javascript://[/%0aalert(1)',
  ],
  ...[
    'javascript:/*--></title></style></textarea></script></xmp><svg/onload=alert(1)//>',
    'feed:javascript:alert(1)',
    'view-source:javascript:alert(1)',
  ],
  ...[
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
    'data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 onload=%22alert(1)%22/>',
  ],
  ...[
    'data:application/xhtml+xml,<x/>',
    'vbscript:msgbox(1)',
    'blob:https://a.example/x',
    'livescript:alert(1)',
    'jar:javascript:alert(1)',
  ],
];

/** Places where such a URL is followed. */
const CARRIERS: ((url: string) => string)[] = [
  (url) => `<a href="${url}">x</a>`,
  (url) => `<iframe src="${url}"></iframe>`,
  (url) => `<form action="${url}"><button>x</button></form>`,
  (url) => `<svg><a xlink:href="${url}"><text y=9>x</text></a></svg>`,
];

/** Other places for a URL or for code, where one spelling is enough. */
const OTHERS = [
  ...[
    '<button formaction=javascript:alert(1) form=f>x</button><form id=f></form>',
    '<input type=image formaction=javascript:alert(1)>',
  ],
  ...[
    '<object data=javascript:alert(1)></object>',
    '<object data="data:text/html,<script>alert(1)</script>"></object>',
    '<embed src=javascript:alert(1)>',
  ],
  ...[
    '<embed src="data:text/html,<script>alert(1)</script>">',
    '<frameset><frame src=javascript:alert(1)></frameset>',
    '<base href="javascript:alert(1)//"><a href="#">x</a>',
  ],
  ...[
    '<base href="https://elsewhere.example/">',
    '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
    '<meta itemprop=x http-equiv=refresh content="0;url=data:text/html,<script>alert(1)</script>">',
  ],
  ...[
    '<link rel=stylesheet href=javascript:alert(1)>',
    '<link rel=import href="data:text/html,<script>alert(1)</script>">',
    '<link rel=prefetch href=//a.example>',
  ],
  ...[
    '<math href=javascript:alert(1)>x</math>',
    '<math><mi href=javascript:alert(1)>x</mi></math>',
    '<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>',
  ],
  ...[
    '<svg><a><animate attributeName=href values=javascript:alert(1) /><text y=9>x</text></a></svg>',
    '<svg><a><set attributeName=href to=javascript:alert(1) /><text>x</text></a></svg>',
  ],
  ...[
    '<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><script>alert(1)</script></svg>#x">',
    '<svg><use xlink:href="//a.example/x.svg#x"></svg>',
  ],
  ...[
    '<svg><foreignObject><iframe srcdoc="<script>alert(1)</script>"></iframe></foreignObject></svg>',
    '<svg><foreignObject><body onload=alert(1)></foreignObject></svg>',
  ],
  ...[
    '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
    '<iframe srcdoc="&lt;img src=x onerror=parent.alert(1)&gt;"></iframe>',
    '<iframe srcdoc="<frameset onload=parent.alert(1)>"></iframe>',
  ],
  ...[
    '<iframe srcdoc="<svg onload=parent.alert(1)>" sandbox="allow-scripts allow-same-origin"></iframe>',
    '<iframe src="https://a.example/" srcdoc="<script>alert(1)</script>"></iframe>',
    '<iframe SrcDoc=&lt;script&gt;parent.alert(1)&lt;/script&gt;></iframe>',
  ],
  ...[
    '<iframe src="http:javascript:alert(1)"></iframe>',
    '<iframe src="//a.example\\@b/"></iframe>',
    '<iframe name="alert(1)" src="https://a.example/"></iframe>',
    '<iframe src=about:blank></iframe>',
    '<iframe></iframe>',
  ],
  ...[
    '<p style="background:url(javascript:alert(1))">x',
    '<p style="width:expression(alert(1))">x',
    '<p style="behavior:url(#x)">x',
    '<p style="-moz-binding:url(//a.example/x.xml#x)">x',
    '<p style="xss:ex/**/pression(alert(1))">x',
    '<p style="background:\\75rl(x)">x',
  ],
  ...[
    '<style>@import "javascript:alert(1)";</style>',
    '<style>*{background:url(javascript:alert(1))}</style>',
    '<table background=javascript:alert(1)><tr><td>x</table>',
    '<img src=javascript:alert(1)>',
    '<img lowsrc=javascript:alert(1)>',
    '<img dynsrc=javascript:alert(1)>',
  ],
  ...[
    '<img src="x" srcset="javascript:alert(1)">',
    '<video poster=javascript:alert(1)>',
    '<bgsound src=javascript:alert(1)>',
    '<layer src=javascript:alert(1)>',
    '<applet code=x>',
    '<isindex action=javascript:alert(1)>',
    '<portal src=javascript:alert(1)>',
    '<fencedframe src=x>',
  ],
  ...[
    '<form id=x></form><button form=x formaction="javascript:alert(1)">x',
    '<form action="https://elsewhere.example/"><input name=password></form>',
    '<input type=hidden name=x>',
    '<input type=checkbox>',
    '<textarea>x</textarea>',
    '<button>x</button>',
  ],
  ...[
    '<a ping=https://elsewhere.example/ href=/>x</a>',
    '<a href="/" onclick>x</a>',
    '<img name=getElementById src=x>',
    '<form id=x><input name=attributes></form>',
    '<a id=x href="javascript&Tab;:alert(1)">x</a>',
    '<div is=x-y>x</div>',
    '<slot name=x></slot>',
    '<x-code>x</x-code>',
  ],
  ...[
    '<a href="x" style="position:fixed" target=_blank rel=opener onauxclick=alert(1)>x</a>',
    '<area href=javascript:alert(1) shape=default>',
    '<map name=x><area href=javascript:alert(1) coords=0,0,9,9></map><img usemap=#x src=y>',
  ],
  ...[
    '<template shadowrootmode=open><img src=x onerror=alert(1)></template>',
    '<div><template shadowroot=open><script>alert(1)</script></template></div>',
    '<plaintext><img src=x onerror=alert(1)>',
    '<listing>&lt;img src=x onerror=alert(1)&gt;</listing>',
    '<xmp><img src=x onerror=alert(1)></xmp>',
    '<noembed><img src=x onerror=alert(1)></noembed>',
    '<noframes><img src=x onerror=alert(1)></noframes>',
  ],
];

/** Texts that change when a tree is serialized and parsed again, or that two parsers read differently. */
const MUTATIONS = [
  ...[
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<math><mtext><table><mglyph><style><math href=javascript:alert(1)>x</math>',
    '<math><mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></mtext></math>',
  ],
  ...[
    '<math><mi><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">',
    '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
    '<math><annotation-xml encoding="application/xhtml+xml"><svg onload=alert(1)></annotation-xml></math>',
  ],
  ...[
    '<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)>',
    '<form><form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">',
    '<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title="</style><img src onerror=alert(1)>">',
  ],
  ...[
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    '<svg><p><style><a id="</style><img src=1 onerror=alert(1)>">',
    '<svg><style><a title="</style><img src=x onerror=alert(1)>"></a></style></svg>',
    '<svg><desc><style><a id="</style><img src=x onerror=alert(1)>">',
    '<svg><title><style><a id="</style><img src=x onerror=alert(1)>">',
    '<svg><foreignobject><style><a id="</style><img src=x onerror=alert(1)>">',
  ],
  ...[
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<noscript><style></noscript><img src=x onerror=alert(1)></style>',
    '<noscript><!--</noscript><img src=x onerror=alert(1)>--></noscript>',
    '<textarea><img title="</textarea><img src=x onerror=alert(1)>">',
    '<title><a title="</title><img src=x onerror=alert(1)>">',
    '<xmp><p title="</xmp><svg/onload=alert(1)>">',
    '<noembed><p title="</noembed><svg/onload=alert(1)>">',
    '<noframes><p title="</noframes><svg/onload=alert(1)>">',
    '<iframe src=//a.example><p title="</iframe><svg/onload=alert(1)>">',
    '<style><p title="</style><svg/onload=alert(1)>">',
    '<script><p title="</script><svg/onload=alert(1)>">',
  ],
  ...[
    '<select><template><img src=x onerror=alert(1)></template></select>',
    '<select><style></select><img src=x onerror=alert(1)></style>',
    '<select><iframe></select><img src=x onerror=alert(1)></iframe>',
    "<select><noembed></select><script>x='<svg/onload=alert(1)>'</script>",
    '<table><td><svg><desc><td></desc></svg><img src=x onerror=alert(1)>',
    '<option><style></option></select><img src=x onerror=alert(1)></style>',
  ],
  ...[
    '<p title="--!><img src=x onerror=alert(1)>">x</p>',
    '<p title="]]><img src=x onerror=alert(1)>">x</p>',
    '<!--<img src="--><img src=x onerror=alert(1)//">',
    '<!--><img src=x onerror=alert(1)>-->',
    '<![CDATA[><img src=x onerror=alert(1)>]]>',
    '<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>',
    '<math><![CDATA[</math><img src=x onerror=alert(1)>]]></math>',
    '<svg><!--</svg><img src=x onerror=alert(1)>--></svg>',
    '<? foo="><img src=x onerror=alert(1)>">',
    '<! foo="><img src=x onerror=alert(1)>">',
    '</ foo="><img src=x onerror=alert(1)>">',
    '<% foo><x foo="%><img src=x onerror=alert(1)>">',
  ],
  ...[
    '<img alt="`><img src=x onerror=alert(1)>`">',
    '<a title="&lt;/a&gt;&lt;img src=x onerror=alert(1)&gt;">x</a>',
    '<p id="</p><img src=x onerror=alert(1)>">x</p>',
    '<a href="\u2028javascript:alert(1)">x</a>',
    '<a href="x" title="</title></textarea></style></script><img src=x onerror=alert(1)>">x</a>',
    '<svg><a title="</svg><img src=x onerror=alert(1)>">x</a></svg>',
    '<p>&lt;img src=x onerror=alert(1)&gt;</p>',
    '<code>&lt;script&gt;alert(1)&lt;/script&gt;</code>',
    // The page around the article would close it.
    '<img src=x onerror=alert(1) title=',
    '<img src=x onerror=alert(1) title = ',
    '<svg onload=alert(1) class=',
    '<pre>javascript:alert(1) onerror=alert(1)</pre>',
  ],
];

/** Every vector: an article's text and nothing else. */
export const VECTORS: readonly string[] = [
  ...new Set([
    ...HANDLERS,
    ...SCRIPTS,
    ...CODE_URLS.flatMap((url) => CARRIERS.map((carry) => carry(url.replaceAll('"', '&quot;')))),
    ...OTHERS,
    ...MUTATIONS,
  ]),
];
