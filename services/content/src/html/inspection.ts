/** A fault in HTML: its description and its place (line and column count from 1). */
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
  /** The faults in order, at most ten. */
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
