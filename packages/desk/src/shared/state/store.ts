/** The origin of the store of files, whose pictures the page's policy lets it show; empty without one. */
export function storeOrigin(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="pressroom-store"]')?.content ?? '';
}

/** Origins whose pictures the page's policy lets it show: its own, and the store's. */
export function canShow(src: string): boolean {
  if (!URL.canParse(src, location.href)) return false;
  const store = storeOrigin();
  const { origin, protocol } = new URL(src, location.href);
  return (
    protocol === 'blob:' ||
    origin === location.origin ||
    (store !== '' && origin === new URL(store, location.href).origin)
  );
}
