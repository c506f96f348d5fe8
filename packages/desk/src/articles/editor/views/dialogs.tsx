import { useState } from 'preact/hooks';
import type { Command } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { withScheme } from '../../../shared/state/with-scheme.ts';
import { Button } from '../../../shared/views/button.tsx';
import type { FoundEmbed } from '../editing/embeds.ts';
import type { Picture } from '../editing/figures.ts';
import { linkPlace, setLink } from '../editing/links.ts';
import { isLinkAddress } from '../html/urls.ts';
import type { EditorTexts } from '../text/editor-texts.ts';
import { EmbedDialog } from './embed-dialog.tsx';
import { Field, FormDialog } from './form-dialog.tsx';
import { PictureDialog } from './picture-dialog.tsx';

/** A dialog that is open, and what it is about. */
export type OpenDialog =
  | { kind: 'link' }
  | { kind: 'embed' }
  | { kind: 'picture'; added?: Picture; isBeside?: boolean };

interface Props {
  readonly view: EditorView;
  readonly texts: EditorTexts;
  readonly onClose: () => void;
}

interface EditorDialogProps extends Props {
  readonly open: OpenDialog;
  readonly pickPicture: () => Promise<Picture | undefined>;
  readonly findEmbed: FindEmbed | undefined;
}

/** Says what a page can become, or in a sentence why it cannot be read. */
export type FindEmbed = (address: string, signal: AbortSignal) => Promise<FoundEmbed | string>;

export function EditorDialog({ open, pickPicture, findEmbed, ...props }: EditorDialogProps) {
  if (open.kind === 'link') return <LinkDialog {...props} />;
  if (open.kind === 'embed') return <EmbedDialog findEmbed={findEmbed} {...props} />;
  return <PictureDialog added={open.added} isBeside={open.isBeside} pickPicture={pickPicture} {...props} />;
}

function run({ view, onClose }: Props, command: Command): void {
  command(view.state, view.dispatch);
  onClose();
}

function LinkDialog(props: Props) {
  const { view, texts } = props;
  const { say } = texts;
  const [place] = useState(() => linkPlace(view.state));
  const [href, setHref] = useState(place.href);
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const isEmpty = place.from === place.to;
  const address = linkAddress(href.trim());
  const badAddress = isLinkAddress(address) ? undefined : say('editorBadLink');
  const badText = isEmpty && text.trim() === '' ? say('editorNeedsText') : undefined;
  const apply = () => {
    setTried(true);
    if (badAddress !== undefined || badText !== undefined) return;
    run(props, setLink({ ...place, text: isEmpty ? text.trim() : place.text }, address));
  };
  return (
    <FormDialog
      title={say('editorLinkTitle')}
      texts={texts}
      onApply={apply}
      onClose={props.onClose}
      buttons={
        place.href !== '' && (
          <Button kind="quiet" onClick={() => run(props, setLink(place, ''))}>
            {say('editorRemoveLink')}
          </Button>
        )
      }
    >
      <Field
        label={say('editorAddress')}
        value={href}
        onValue={setHref}
        problem={isTried ? badAddress : undefined}
        required
      />
      {isEmpty && (
        <Field
          label={say('editorLinkText')}
          value={text}
          onValue={setText}
          problem={isTried ? badText : undefined}
          required
        />
      )}
    </FormDialog>
  );
}

/** `example.com/a` and `a@example.com` are what people write. */
function linkAddress(address: string): string {
  return /^[^\s/@:]+@[^\s/@:]+\.\w+$/.test(address) ? `mailto:${address}` : withScheme(address);
}
