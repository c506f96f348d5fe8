/** Something in HTML that is not allowed: what it is and where (line and column count from 1). */
export interface HtmlFault {
  what: string;
  line: number;
  column: number;
}

export interface Inspection {
  /**
   * Characters of text, not counting tags and comments; 0 if none are visible, undefined if the rest was not
   * read.
   */
  characters: number | undefined;
  /** Everything that is not allowed, in order, at most ten. */
  faults: HtmlFault[];
}

/** HTML without what is not allowed, as far as an element and its attributes tell it. */
export interface CleanedHtml {
  html: string;
  removed: string[];
}

export interface InspectionRules {
  /** `trusted` only counts the text. */
  html: 'checked' | 'trusted';
  /** True if `<script type="application/ld+json">` is allowed in it. */
  jsonLd: boolean;
  /** True if `style` may lay elements over the page around the article. */
  overlays: boolean;
}
