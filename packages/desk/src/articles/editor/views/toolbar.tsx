import { Ellipsis } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EditorState } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { nodeAround, setCodeLanguage } from '../editing/blocks.ts';
import { selectedPicture } from '../editing/figures.ts';
import type { EditorTexts } from '../text/editor-texts.ts';
import { shownKeys } from '../text/shortcuts.ts';
import {
  type Asking,
  COMMENT_TOOL,
  MORE_TOOLS,
  PICTURE_TOOLS,
  TABLE_TOOLS,
  TOOLS,
  type Tool,
} from './tools.ts';

export interface ToolbarProps {
  readonly view: EditorView;
  /** The state that is shown: the view's own changes in place. */
  readonly state: EditorState;
  readonly texts: EditorTexts;
  readonly disabled: boolean;
  readonly canComment: boolean;
  readonly onAsk: (asking: Asking) => void;
}

/** The tools above the text: one stop for Tab, and arrows within. */
export function Toolbar({ children, ...props }: ToolbarProps & { children?: ComponentChildren }) {
  const { canComment, state, texts, view } = props;
  const { say } = texts;
  const [isMore, setMore] = useState(false);
  const code = nodeAround(state, 'code_block');
  return (
    <div class="rich-text-tools">
      <ToolRow label={say('editorTools')} groups={canComment ? [...TOOLS, [COMMENT_TOOL]] : TOOLS} {...props}>
        {(focus) => (
          <button
            type="button"
            class="icon-button"
            aria-label={say('editorMoreTools')}
            title={say('editorMoreTools')}
            aria-expanded={isMore}
            {...focus}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => setMore(!isMore)}
          >
            <Ellipsis size={18} strokeWidth={1.75} aria-hidden="true" class="icon" />
          </button>
        )}
      </ToolRow>
      {isMore && <ToolRow label={say('editorMoreTools')} groups={MORE_TOOLS} {...props} />}
      {selectedPicture(state) && (
        <ToolRow label={say('editorPictureTools')} groups={[PICTURE_TOOLS]} isNamed {...props} />
      )}
      {nodeAround(state, 'table') && (
        <ToolRow label={say('editorTableTools')} groups={[TABLE_TOOLS]} isNamed {...props} />
      )}
      {code && (
        <label class="rich-text-language">
          <span>{say('editorLanguage')}</span>
          <input
            value={code.node.attrs.language}
            autocomplete="off"
            spellcheck={false}
            onChange={(event) => setCodeLanguage(event.currentTarget.value.trim())(view.state, view.dispatch)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== 'Escape') return;
              event.preventDefault();
              view.focus();
            }}
          />
        </label>
      )}
      {children}
    </div>
  );
}

interface ToolRowProps extends Omit<ToolbarProps, 'canComment'> {
  readonly label: string;
  readonly groups: readonly (readonly Tool[])[];
  /** True to show names: no drawings for these tools are known to everybody. */
  readonly isNamed?: boolean;
  /** A button behind the tools, with its place in the order of the arrows. */
  readonly children?: (focus: { tabIndex: number; onFocus: () => void }) => ComponentChildren;
}

/** Tools in a row: one stop for Tab, arrows within, and Escape back to the text. */
export function ToolRow(props: ToolRowProps) {
  const { label, groups, isNamed = false, view, state, texts, disabled, onAsk, children } = props;
  const [current, setCurrent] = useState(0);
  const go = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    const isReversed = getComputedStyle(event.currentTarget).direction === 'rtl';
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: current + (isReversed ? -1 : 1),
      ArrowLeft: current + (isReversed ? 1 : -1),
      Home: 0,
      End: buttons.length - 1,
    };
    const next = steps[event.key];
    if (event.key === 'Escape') view.focus();
    else if (next !== undefined) {
      event.preventDefault();
      buttons[(next + buttons.length) % buttons.length]?.focus();
    }
  };
  let index = 0;
  return (
    <div class="rich-text-row" role="toolbar" aria-label={label} onKeyDown={go}>
      {groups.map((tools) => (
        <div class="rich-text-group" key={tools[0]?.text}>
          {tools.map((tool) => {
            const place = index;
            index += 1;
            return (
              <ToolButton
                key={tool.text}
                tool={tool}
                name={texts.say(tool.text)}
                isNamed={isNamed}
                isStop={place === current}
                isPossible={
                  tool.does === 'comment' ||
                  (!disabled &&
                    (typeof tool.does === 'string' ? (tool.isPossible?.(state) ?? true) : tool.does(state)))
                }
                isOn={tool.isOn?.(state)}
                onFocus={() => setCurrent(place)}
                onUse={() => {
                  if (typeof tool.does === 'string') onAsk(tool.does);
                  else {
                    tool.does(view.state, view.dispatch, view);
                    view.focus();
                  }
                }}
              />
            );
          })}
        </div>
      ))}
      {children?.({ tabIndex: index === current ? 0 : -1, onFocus: () => setCurrent(index) })}
    </div>
  );
}

interface ToolButtonProps {
  readonly tool: Tool;
  readonly name: string;
  readonly isNamed: boolean;
  readonly isStop: boolean;
  readonly isPossible: boolean;
  readonly isOn: boolean | undefined;
  readonly onFocus: () => void;
  readonly onUse: () => void;
}

/** A tool that cannot be used keeps its place in the order of the arrows, so it is not `disabled`. */
function ToolButton({ tool, name, isNamed, isStop, isPossible, isOn, onFocus, onUse }: ToolButtonProps) {
  const Drawing = tool.icon;
  return (
    <button
      type="button"
      class={isNamed ? 'button quiet' : 'icon-button'}
      aria-label={name}
      title={tool.keys === undefined ? name : `${name} (${shownKeys(tool.keys)})`}
      aria-pressed={isOn}
      aria-disabled={!isPossible}
      tabIndex={isStop ? 0 : -1}
      onFocus={onFocus}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => isPossible && onUse()}
    >
      <Drawing size={18} strokeWidth={1.75} aria-hidden="true" class="icon" />
      {isNamed && <span>{name}</span>}
      {isNamed && tool.keys && <kbd>{shownKeys(tool.keys)}</kbd>}
    </button>
  );
}
