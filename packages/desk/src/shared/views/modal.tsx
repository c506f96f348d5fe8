import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** The pause of the keys after which a dialog that opens by itself takes one, in ms. */
const REST_MS = 1000;

export interface ModalProps {
  title: string;
  onClose: () => void;
  /** Called with each change of a field in it. */
  onInput?: () => void;
  children: ComponentChildren;
  /** The class of the dialog: how large it is. */
  look?: string;
  hiddenTitle?: boolean;
  /** True if it opens by itself: a key or click at that moment is not meant for it. */
  isUnasked?: boolean;
}

/** A dialog over the page, as the browser makes it: it holds the focus, and Escape closes it. */
export function Modal({
  title,
  onClose,
  onInput,
  children,
  look = '',
  hiddenTitle = false,
  isUnasked = false,
}: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isResting, setResting] = useState(isUnasked);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const rest = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setResting(false);
      // Only what is typed into a field can be taken back: no button gets the focus.
      if (document.activeElement === dialog.current)
        dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    }, REST_MS);
  };
  useEffect(() => {
    const element = dialog.current;
    const putBack = caretOf(document.activeElement);
    element?.showModal();
    if (isUnasked) {
      element?.focus();
      rest();
    }
    return () => {
      clearTimeout(timer.current);
      element?.close();
      putBack();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`modal ${look} ${isResting ? 'resting' : ''}`}
      aria-labelledby={id}
      tabIndex={-1}
      onInput={onInput}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current && !isResting) onClose();
      }}
      onKeyDownCapture={(event) => {
        if (!isResting || event.key === 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        rest();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== 'Escape' || event.isComposing) return;
        // A second Escape would close the dialog without asking `onCancel`, or two at once.
        event.preventDefault();
        onClose();
      }}
    >
      <div class="modal-content">
        <h2 id={id} class={hiddenTitle ? 'unseen' : 'modal-title'}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

/** Puts the caret back into a field: with the focus alone, the browser may not write into it. */
function caretOf(field: Element | null): () => void {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return () => undefined;
  const { selectionStart, selectionEnd } = field;
  return () => {
    if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
  };
}
