import { useState } from 'preact/hooks';
import type { EditorView } from 'prosemirror-view';
import { canShow } from '../../../shared/state/store.ts';
import { Button } from '../../../shared/views/button.tsx';
import { CheckField } from '../../../shared/views/check-field.tsx';
import { describePicture, insertFigure, type Picture, selectedPicture } from '../editing/figures.ts';
import { addBeside } from '../editing/picture-rows.ts';
import type { EditorTexts } from '../text/editor-texts.ts';
import { Field, FormDialog } from './form-dialog.tsx';

interface PictureDialogProps {
  readonly view: EditorView;
  readonly texts: EditorTexts;
  /** The picture that comes into the text; without it, the selected one is meant. */
  readonly added: Picture | undefined;
  /** True if it comes beside the selected one, whose caption is that of both. */
  readonly isBeside: boolean | undefined;
  readonly pickPicture: () => Promise<Picture | undefined>;
  readonly onClose: () => void;
}

/** A picture, with what people who do not see it hear of it, and what stands below it. */
export function PictureDialog({ view, texts, added, isBeside, pickPicture, onClose }: PictureDialogProps) {
  const { say } = texts;
  const [old] = useState(() => (added === undefined ? selectedPicture(view.state) : undefined));
  const fresh = isBeside === true ? undefined : { caption: '', credit: '' };
  const captions = added === undefined ? old?.captions : fresh;
  const [picture, setPicture] = useState(added ?? old?.picture ?? { src: '', alt: '' });
  const [alt, setAlt] = useState(picture.alt);
  const [isDecorative, setDecorative] = useState(picture.isDecorative ?? false);
  const [caption, setCaption] = useState(captions?.caption);
  const [credit, setCredit] = useState(captions?.credit ?? '');
  const [isTried, setTried] = useState(false);
  const problem = alt.trim() === '' && !isDecorative ? say('editorNeedsAlt') : undefined;
  const put = () => {
    const whole = { ...picture, alt, isDecorative };
    const words = captions && { caption, credit };
    const command =
      added === undefined
        ? describePicture(whole, words)
        : words === undefined
          ? addBeside(whole)
          : insertFigure(whole, words);
    command(view.state, view.dispatch);
    onClose();
  };
  const apply = () => {
    setTried(true);
    if (problem === undefined) put();
  };
  const leave = () => {
    picture.takeBack?.();
    onClose();
  };
  const choose = async () => {
    const other = await pickPicture();
    if (other === undefined) return;
    picture.takeBack?.();
    setPicture(other);
  };
  return (
    <FormDialog
      title={say('editorPictureTitle')}
      texts={texts}
      onApply={apply}
      isUnasked={added?.takeBack !== undefined}
      // A decision discards an uploaded or chosen picture, and Escape does not.
      onClose={added === undefined ? leave : put}
      {...(added !== undefined && { closing: say('editorDescribeLater') })}
      buttons={
        added !== undefined && (
          <Button kind="quiet" onClick={leave}>
            {say('editorLeaveOut')}
          </Button>
        )
      }
    >
      <div class="rich-text-picture">
        {canShow(picture.src) ? <img src={picture.src} alt="" /> : <p class="hint">{picture.src}</p>}
        <Button icon="image" onClick={() => void choose()}>
          {say('editorOtherPicture')}
        </Button>
      </div>
      {!isDecorative && (
        <Field
          label={say('editorAlt')}
          hint={say('editorAltHint')}
          value={alt}
          onValue={setAlt}
          problem={isTried ? problem : undefined}
          required
        />
      )}
      <CheckField label={say('editorDecorative')} checked={isDecorative} onChecked={setDecorative} />
      {captions !== undefined && (
        <>
          {caption === undefined ? (
            <p class="hint">{say('editorRichCaption')}</p>
          ) : (
            <Field label={say('editorCaption')} value={caption} onValue={setCaption} />
          )}
          <Field
            label={say('editorCredit')}
            hint={say('editorCreditHint')}
            value={credit}
            onValue={setCredit}
          />
        </>
      )}
    </FormDialog>
  );
}
