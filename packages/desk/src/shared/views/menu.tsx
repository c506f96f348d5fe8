import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MissingFilesDialog } from './loading.tsx';
import type { MenuItem } from './menu-item.ts';
import type { OpenMenu, OpenMenuProps } from './open-menu.tsx';

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  onSelect: (value: string) => void;
  children: ComponentChildren;
  look?: string;
}

let loaded: Promise<typeof OpenMenu> | undefined;

/** Open menus are a quarter of what the page would load before it shows anything. */
function load(): Promise<typeof OpenMenu> {
  loaded ??= import('./open-menu.tsx').then((module) => module.OpenMenu);
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}

// They are loaded before somebody gets to a button, and as long as there is a network.
for (const event of ['pointermove', 'pointerdown', 'keydown'])
  addEventListener(event, () => void load().catch(() => undefined), { once: true, capture: true });

export function Menu({ label, items, onSelect, children, look = 'icon-button' }: MenuProps) {
  const id = useId();
  const [opened, setOpened] = useState<{ highlighted: string | undefined }>();
  const isOpen = opened !== undefined;
  const keys: Readonly<Record<string, string | undefined>> = {
    ArrowDown: items[0]?.value,
    ArrowUp: items.at(-1)?.value,
    Enter: items[0]?.value,
    ' ': items[0]?.value,
  };
  return (
    <>
      <button
        type="button"
        id={id}
        class={look}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-menu` : undefined}
        data-state={isOpen ? 'open' : 'closed'}
        onPointerDown={(event) => event.preventDefault()}
        onClick={({ currentTarget }) => {
          if (isOpen) currentTarget.focus();
          setOpened(isOpen ? undefined : { highlighted: undefined });
        }}
        onKeyDown={(event) => {
          const highlighted = keys[event.key];
          if (highlighted === undefined) return;
          event.preventDefault();
          setOpened({ highlighted });
        }}
      >
        {children}
      </button>
      {opened && (
        <Opened
          {...{ label, items, onSelect }}
          trigger={id}
          highlighted={opened.highlighted}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** The time a finger rests before it opens a menu, in ms. */
const LONG_PRESS_MS = 700;

/** Opens a menu for its children, where the pointer is. */
export function ContextMenu({ label, items, onSelect, children }: Omit<MenuProps, 'look'>) {
  const [point, setPoint] = useState<{ x: number; y: number }>();
  const gestures = useGestures(({ clientX: x, clientY: y }) => setPoint({ x, y }));
  return (
    <>
      <div {...gestures} class="context">
        {children}
      </div>
      {point && (
        <Opened
          key={`${point.x} ${point.y}`}
          {...{ label, items, onSelect, point }}
          onClose={() => setPoint(undefined)}
        />
      )}
    </>
  );
}

/** The other button of a mouse, or a finger that rests. */
function useGestures(open: (event: MouseEvent) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const cancel = () => clearTimeout(timer.current);
  useEffect(() => cancel, []);
  return {
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault();
      // Some browsers take a finger that rests for the other button.
      cancel();
      open(event);
    },
    onPointerDown: (event: PointerEvent) => {
      cancel();
      if (event.pointerType !== 'mouse') timer.current = setTimeout(() => open(event), LONG_PRESS_MS);
    },
    onPointerMove: cancel,
    onPointerUp: cancel,
    onPointerCancel: cancel,
  };
}

function Opened(props: OpenMenuProps) {
  const { label, onClose } = props;
  const [View, setView] = useState<typeof OpenMenu | 'missing'>();
  useEffect(
    () =>
      void load().then(
        (view) => setView(() => view),
        () => setView('missing'),
      ),
    [],
  );
  if (View === 'missing') return <MissingFilesDialog title={label} onClose={onClose} />;
  return View && <View {...props} />;
}
