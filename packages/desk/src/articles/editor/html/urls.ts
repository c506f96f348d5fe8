/**
 * Addresses that content allows anywhere (`docs/content.md`, "HTML"), after white space and controls are
 * gone.
 */
const ALLOWED = /^(?:(?:https?|mailto|tel|sms):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** The address of an embed: on another host. */
const EMBED = /^(?:https:)?\/\/[^/\\]/i;

/**
 * White space, controls and brackets: browsers skip them or take them for markup, and no address needs them.
 */
const STRANGE = /[\p{C}\s<>]/u;

/** True if content takes an article with a link to this address. */
export function isLinkAddress(address: string): boolean {
  return address !== '' && !STRANGE.test(address) && ALLOWED.test(address);
}

/** True if content takes an article with a picture from this address. */
export function isPictureAddress(address: string): boolean {
  return (
    isLinkAddress(address) || /^data:image\/(?:avif|gif|jpeg|png|webp);base64,[a-z0-9+/=]+$/i.test(address)
  );
}

/** True if content takes an article that embeds the document at this address. */
export function isEmbedAddress(address: string): boolean {
  return EMBED.test(address) && URL.canParse(address, 'https://x') && isLinkAddress(address);
}

/**
 * A text as an attribute may have it: content refuses what ends comments and raw text, wherever it stands.
 */
export function attributeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/--!?>/g, '→')
    .replaceAll(']>', '] >')
    .replaceAll('</', '< /')
    .trim();
}
