import type { IconName } from './icon.tsx';

export interface MenuItem {
  readonly value: string;
  readonly label: string;
  readonly icon?: IconName;
  /** For a choice among several: whether this one is in force. */
  readonly checked?: boolean;
  readonly heading?: string;
  readonly danger?: boolean;
  readonly shortcut?: string;
}
