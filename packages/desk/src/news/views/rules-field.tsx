import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../shared/views/button.tsx';
import { useNews } from '../news-context.ts';
import { lineOf, NEW_RULE, partsOf, type RuleParts } from '../state/rules.ts';
import { type Choices, Select, TextArea, termChoices } from './fields.tsx';

const FIELDS = ['title', 'summary', 'url', 'any'] as const;
const HOWS = ['has', 'hasNot', 'matches', 'matchesNot'] as const;
const POINTS = ['+5', '+10', '+20', '-5', '-10', '-20'] as const;

interface RulesProps {
  /** The rules, one a line. */
  value: string;
  onValue: (value: string) => void;
  problem: string | undefined;
}

/** The rules of a source: each as three choices and a field, all of them also as text. */
export function RulesField({ value, onValue, problem }: RulesProps) {
  const { say } = useNews().texts;
  const [rules, setRules] = useState(() => rulesOf(value));
  // Text that was typed, or is there again after a save, is not what the rows say.
  const shown = textOf(rules) === textOf(rulesOf(value)) ? rules : rulesOf(value);
  const set = (next: readonly (RuleParts | string)[]) => {
    setRules(next);
    onValue(textOf(next));
  };
  return (
    <fieldset class="rules">
      <legend>{say('rules')}</legend>
      {shown.map((rule, index) => (
        <div class="rule-row" role="group" aria-label={say('ruleOf', { number: index + 1 })} key={index}>
          {typeof rule === 'string' ? (
            <code>{rule}</code>
          ) : (
            <RuleChoices rule={rule} onRule={(next) => set(shown.with(index, next))} />
          )}
          <IconButton
            icon="close"
            label={say('removeRule', { number: index + 1 })}
            onClick={() => set(shown.toSpliced(index, 1))}
          />
        </div>
      ))}
      {problem !== undefined && <p class="form-problem">{problem}</p>}
      <Button icon="add" onClick={() => set([...shown, NEW_RULE])}>
        {say('addRule')}
      </Button>
      <details class="more-lines">
        <summary>{say('rulesAsText')}</summary>
        <TextArea isCode rows={4} label={say('rulesText')} hint={say('rulesHint')} {...{ value, onValue }} />
      </details>
    </fieldset>
  );
}

function RuleChoices({ rule, onRule }: { rule: RuleParts; onRule: (rule: RuleParts) => void }) {
  const { texts, vocabulary } = useNews();
  const { say } = texts;
  const effects: Choices = [
    ['drop', say('rule_drop')],
    ['keep', say('rule_keep')],
    ...termChoices(vocabulary.value?.categories, rule.effect.replace('set category ', '')).map(
      ([name, label]) => [`set category ${name}`, say('rule_category', { label })] as const,
    ),
    ...POINTS.map((points) => [`score ${points}`, say('rule_points', { points })] as const),
  ];
  const isPlain = rule.how === 'has' || rule.how === 'hasNot';
  return (
    <>
      <Select
        label={say('ruleEffect')}
        value={rule.effect}
        choices={effects}
        onValue={(effect) => onRule({ ...rule, effect })}
      />
      <Select
        label={say('ruleField')}
        value={rule.field}
        choices={FIELDS.map((one) => [one, say(`ruleField_${one}`)] as const)}
        onValue={(field) => onRule({ ...rule, field })}
      />
      <Select
        label={say('ruleHow')}
        value={rule.how}
        choices={HOWS.map((one) => [one, say(`ruleHow_${one}`)] as const)}
        onValue={(how) => onRule({ ...rule, how: HOWS.find((one) => one === how) ?? 'has' })}
      />
      <input
        aria-label={say(isPlain ? 'ruleWords' : 'rulePattern')}
        placeholder={say(isPlain ? 'ruleWords' : 'rulePattern')}
        value={rule.text}
        autocomplete="off"
        onInput={({ currentTarget }) => onRule({ ...rule, text: currentTarget.value })}
      />
    </>
  );
}

/** A line that is no rule stays as it is. */
function rulesOf(value: string): readonly (RuleParts | string)[] {
  const lines = value.split('\n').flatMap((line) => line.trim() || []);
  return lines.map((line) => partsOf(line) ?? line);
}

function textOf(rules: readonly (RuleParts | string)[]): string {
  return rules.flatMap((rule) => (typeof rule === 'string' ? rule : (lineOf(rule) ?? []))).join('\n');
}
