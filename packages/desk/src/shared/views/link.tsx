import type { JSX } from 'preact';
import { useDesk } from '../desk.ts';

type LinkProps = Omit<JSX.IntrinsicElements['a'], 'href' | 'onClick'> & {
  /** A path of the desk, such as `news/sources`. */
  to: string;
};

export function Link({ to, children, ...rest }: LinkProps) {
  const { address } = useDesk();
  return (
    <a
      {...rest}
      href={address.href(to)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        address.go(to);
      }}
    >
      {children}
    </a>
  );
}
