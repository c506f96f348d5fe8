import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditorView } from 'prosemirror-view';
import { withScheme } from '../../../shared/state/with-scheme.ts';
import { embedAddress, type FoundEmbed, insertCard, insertEmbed, insertFrame } from '../editing/embeds.ts';
import { isEmbedAddress } from '../html/urls.ts';
import type { EditorTexts } from '../text/editor-texts.ts';
import type { FindEmbed } from './dialogs.tsx';
import { Field, FormDialog } from './form-dialog.tsx';

/** The pause after which an address is looked at, in ms. */
const PAUSE_MS = 500;

interface EmbedDialogProps {
  readonly view: EditorView;
  readonly texts: EditorTexts;
  readonly findEmbed: FindEmbed | undefined;
  readonly onClose: () => void;
}

type Look = 'frame' | 'card';

/** Embeds a page: as the player that it has for others, or as a card of what it says. */
export function EmbedDialog({ view, texts, findEmbed, onClose }: EmbedDialogProps) {
  const { say } = texts;
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const [look, setLook] = useState<Look>();
  const [isTried, setTried] = useState(false);
  const typed = withScheme(address.trim());
  const isAddress = isEmbedAddress(embedAddress(typed));
  const { found, find } = useFound(findEmbed, isAddress ? typed : undefined);
  const embed = typeof found === 'object' ? found : undefined;
  const chosen = look ?? defaultLook(embed);
  const title = name.trim() === '' ? (embed?.frame?.title ?? '') : name;
  const badAddress = isAddress ? undefined : say('editorBadEmbed');
  const badName = chosen === 'frame' && title.trim() === '' ? say('editorNeedsName') : undefined;
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const apply = async () => {
    setTried(true);
    if (!isAddress) return;
    // Enter may come before the page is read.
    const known = await find();
    if (isGone.current) return;
    const at = typeof known === 'object' ? known : undefined;
    const as = look ?? defaultLook(at);
    const named = name.trim() === '' ? (at?.frame?.title ?? '') : name;
    if (as === 'frame' && named.trim() === '') return;
    const command =
      as === 'card' && at?.card
        ? insertCard(at.card)
        : at?.frame
          ? insertFrame({ ...at.frame, title: named })
          : insertEmbed(typed, named);
    // Enter may come twice.
    isGone.current = true;
    command(view.state, view.dispatch);
    onClose();
  };
  return (
    <FormDialog title={say('editorEmbedTitle')} texts={texts} onApply={() => void apply()} onClose={onClose}>
      <Field
        label={say('editorAddress')}
        hint={say('editorEmbedHint')}
        value={address}
        onValue={setAddress}
        problem={isTried ? badAddress : undefined}
        required
      />
      <div role="status">
        {found === 'asked' && <p class="hint">{say('editorEmbedAsked')}</p>}
        {typeof found === 'string' && found !== 'asked' && <p class="hint">{found}</p>}
        {embed?.card && (
          <div class="rich-text-box">
            <strong>{embed.card.title}</strong>
            {embed.card.text !== null && <span>{embed.card.text}</span>}
            <span>{embed.card.site}</span>
          </div>
        )}
      </div>
      {embed?.frame && embed.card && (
        <fieldset class="rich-text-looks">
          <legend>{say('editorEmbedLook')}</legend>
          {(['frame', 'card'] as const).map((one) => (
            <label class="choice" key={one}>
              <input type="radio" name="look" checked={chosen === one} onChange={() => setLook(one)} />
              <span>{say(one === 'frame' ? 'editorEmbedFrame' : 'editorEmbedCard')}</span>
            </label>
          ))}
        </fieldset>
      )}
      {chosen === 'frame' && (
        <Field
          label={say('editorEmbedName')}
          value={title}
          onValue={setName}
          problem={isTried && found !== 'asked' ? badName : undefined}
          required
        />
      )}
    </FormDialog>
  );
}

/** A page without a player that is known is a card. */
function defaultLook(embed: FoundEmbed | undefined): Look {
  if (embed === undefined || embed.card === null) return 'frame';
  return embed.provider !== null && embed.frame !== null ? 'frame' : 'card';
}

/** The forms that the page at an address can take: `asked` while it is read, a sentence if there is none. */
function useFound(findEmbed: FindEmbed | undefined, address: string | undefined) {
  const [found, setFound] = useState<FoundEmbed | string>();
  const work = useRef<{ address: string; answer: Promise<FoundEmbed | string> }>();
  const aborting = useRef<AbortController>();
  const find = async () => {
    if (findEmbed === undefined || address === undefined) return undefined;
    if (work.current?.address !== address) {
      aborting.current?.abort();
      const controller = new AbortController();
      aborting.current = controller;
      setFound('asked');
      const answer = findEmbed(address, controller.signal);
      work.current = { address, answer };
      void answer.then((said) => {
        if (!controller.signal.aborted) setFound(said);
      });
    }
    return work.current.answer;
  };
  useEffect(() => {
    if (work.current?.address !== address) setFound(undefined);
    const timer = setTimeout(() => void find(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [address]);
  useEffect(() => () => aborting.current?.abort(), []);
  return { found, find };
}
