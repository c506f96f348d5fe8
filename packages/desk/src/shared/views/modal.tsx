import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface ModalProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** The class of the dialog: how large it is. */
  look?: string;
  /** Whether the title is only heard. */
  hiddenTitle?: boolean;
}

/** A dialog over the page, as the browser makes it: it holds the focus, and Escape closes it. */
export function Modal({ title, onClose, children, look = '', hiddenTitle = false }: ModalProps) {
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
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
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
