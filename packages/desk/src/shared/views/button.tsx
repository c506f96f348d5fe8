import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'icon'> & {
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: IconName;
  children?: ComponentChildren;
};

/** A button with a text, and perhaps an icon before it. */
export function Button({ kind = 'plain', icon, children, ...rest }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} {...rest}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

type IconButtonProps = Omit<JSX.IntrinsicElements['button'], 'icon' | 'label'> & {
  icon: IconName;
  /** Its name, which is also shown when the pointer rests on it. */
  label: string;
};

/** A button that is only an icon. */
export function IconButton({ icon, label, ...rest }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
