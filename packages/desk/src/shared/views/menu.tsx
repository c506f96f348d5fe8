import * as zag from '@zag-js/menu';
import { normalizeProps, useMachine } from '@zag-js/preact';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** A line of a menu. */
export interface MenuItem {
  readonly value: string;
  readonly label: string;
  readonly icon?: IconName;
  /** For a choice among several: whether this one is in force. */
  readonly checked?: boolean;
  /** A heading above the line. */
  readonly heading?: string;
  readonly danger?: boolean;
  readonly shortcut?: string;
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  onSelect: (value: string) => void;
  /** What is in the button. */
  children: ComponentChildren;
  /** The classes of the button. */
  look?: string;
}

/** A button that opens a menu. */
export function Menu({ label, items, onSelect, children, look = 'icon-button' }: MenuProps) {
  const service = useMachine(zag.machine, {
    id: useId(),
    positioning: { placement: 'bottom-end', gutter: 4 },
    onSelect: ({ value }: { value: string }) => onSelect(value),
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <>
      <button {...api.getTriggerProps()} type="button" class={look} aria-label={label} title={label}>
        {children}
      </button>
      <div {...api.getPositionerProps()} class="menu-position">
        {api.open && (
          <ul {...api.getContentProps()} class="menu" aria-label={label}>
            {items.map((item) => (
              <MenuLine key={item.value} item={item} api={api} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** What is in it has a menu, which opens where the pointer is. */
export function ContextMenu({ label, items, onSelect, children }: Omit<MenuProps, 'look'>) {
  const service = useMachine(zag.machine, {
    id: useId(),
    onSelect: ({ value }: { value: string }) => onSelect(value),
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <>
      <div {...api.getContextTriggerProps()} class="context">
        {children}
      </div>
      <div {...api.getPositionerProps()} class="menu-position">
        {api.open && (
          <ul {...api.getContentProps()} class="menu" aria-label={label}>
            {items.map((item) => (
              <MenuLine key={item.value} item={item} api={api} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function MenuLine({ item, api }: { item: MenuItem; api: ReturnType<typeof zag.connect> }) {
  const { value, label, icon, checked, heading, danger, shortcut } = item;
  const props = api.getItemProps({ value });
  const role = checked === undefined ? {} : ({ role: 'menuitemradio', 'aria-checked': checked } as const);
  return (
    <>
      {heading !== undefined && (
        <li role="presentation" class="menu-heading">
          {heading}
        </li>
      )}
      <li {...props} {...role} class={danger ? 'menu-line danger' : 'menu-line'}>
        {checked === undefined ? icon && <Icon name={icon} size={16} /> : <Mark checked={checked} />}
        <span class="menu-label">{label}</span>
        {shortcut !== undefined && <span class="menu-shortcut">{shortcut}</span>}
      </li>
    </>
  );
}

function Mark({ checked }: { checked: boolean }) {
  return <span class="menu-mark">{checked && <Icon name="check" size={16} />}</span>;
}
