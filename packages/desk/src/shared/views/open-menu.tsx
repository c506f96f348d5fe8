import * as zag from '@zag-js/menu';
import { normalizeProps, useMachine } from '@zag-js/preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { MenuItem } from './menu-item.ts';

export interface OpenMenuProps {
  label: string;
  items: readonly MenuItem[];
  onSelect: (value: string) => void;
  onClose: () => void;
  /** The id of the button below which it opens. */
  trigger?: string;
  point?: { readonly x: number; readonly y: number };
  /** The line that the keyboard is on. */
  highlighted?: string | undefined;
}

/** A menu, as long as it is open. */
export function OpenMenu({ label, items, onSelect, onClose, trigger, point, highlighted }: OpenMenuProps) {
  const service = useMachine(zag.machine, {
    id: useId(),
    ...(trigger !== undefined && { ids: { trigger, content: `${trigger}-menu` } }),
    defaultOpen: true,
    defaultHighlightedValue: highlighted,
    positioning: point
      ? { placement: 'bottom-start', getAnchorRect: () => ({ ...point, width: 0, height: 0 }) }
      : { placement: 'bottom-end', gutter: 4 },
    onSelect: ({ value }: { value: string }) => onSelect(value),
    onOpenChange: ({ open }: { open: boolean }) => {
      if (!open) onClose();
    },
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <div {...api.getPositionerProps()} class="menu-position">
      <ul {...api.getContentProps()} class="menu" aria-label={label}>
        {items.map((item) => (
          <MenuLine key={item.value} item={item} api={api} />
        ))}
      </ul>
    </div>
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
