/** Something in HTML that is not allowed: what, and where (both count from 1). */
export interface HtmlFault {
  what: string;
  line: number;
  column: number;
}

/** What an inspection finds out. */
export interface Inspection {
  /** Characters of text, tags and comments aside; 0 when none can be seen, undefined when the rest was not read. */
  characters: number | undefined;
  /** What is not allowed, in order, at most ten. */
  faults: HtmlFault[];
}

/** How HTML is inspected. */
export interface InspectionRules {
  /** `trusted` only counts the text. */
  html: 'checked' | 'trusted';
  /** Whether `<script type="application/ld+json">` may stand in it. */
  jsonLd: boolean;
}
