/** The heading of a category's section: `policy-standard` is headed `Policy standard`. */
export function sectionLabel(category: string): string {
  const words = category.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
