import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** What a dialog is made of. */
export interface ModalProps {
  title: string;
  onClose: () => void;
  /** Called with each change of a field in it. */
  onInput?: () => void;
  children: ComponentChildren;
  /** The class of the dialog: how large it is. */
  look?: string;
  /** Whether the title is only heard. */
  hiddenTitle?: boolean;
}

/** A dialog over the page, as the browser makes it: it holds the focus, and Escape closes it. */
export function Modal({ title, onClose, onInput, children, look = '', hiddenTitle = false }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`modal ${look}`}
      aria-labelledby={id}
      onInput={onInput}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
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
