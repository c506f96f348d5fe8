import type { JSX } from 'preact';
import { useDesk } from '../desk.ts';

type LinkProps = Omit<JSX.IntrinsicElements['a'], 'href' | 'onClick'> & {
  /** A path of the desk, such as `news/sources`. */
  to: string;
};

export function Link({ to, children, ...rest }: LinkProps) {
  const { address } = useDesk();
  return (
    <a {...rest} href={address.href(to)} onClick={onGo(() => address.go(to))}>
      {children}
    </a>
  );
}

/** Follows a link without loading the page again, unless the click asks for another tab or window. */
export function onGo(go: () => void) {
  return (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go();
  };
}
