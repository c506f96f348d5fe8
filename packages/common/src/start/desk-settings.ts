import { z } from 'zod';
import { invalid } from '../failures/failure.ts';

/** What was set at the desk; null for what was not. */
export type Made<Values> = { [Name in keyof Values]: Values[Name] | null };

/** A setting of the environment that may be set at the desk. */
interface DeskSetting<Value> {
  /** What holds. */
  value: Value;
  /** What was set at the desk; null if nothing was. */
  made: Value | null;
  /** What holds where nothing was set at the desk. */
  environment: Value;
  /** The environment's name for it. */
  variable: string;
  /** True if the environment holds, and the desk cannot. */
  isFixed: boolean;
}

export type DeskSettingsShown<Values> = { [Name in keyof Values]: DeskSetting<Values[Name]> };

/**
 * The schema of a setting in an answer: {@link DeskSettings.shown} for one with this value.
 *
 * @param fixedBy the variable that names those which the desk cannot change
 */
export function deskSetting<Value extends z.ZodType>(value: Value, fixedBy: string) {
  return z.object({
    value: value.describe('What holds.'),
    made: value.nullable().describe('What was set at the desk; null if nothing was.'),
    environment: value.describe('What holds where nothing was set at the desk.'),
    variable: z.string().describe("The environment's name for it."),
    isFixed: z
      .boolean()
      .describe(`True if \`${fixedBy}\` names it: the environment holds, and the desk cannot.`),
  });
}

/** What held before and what holds after a change, of each setting of which that differs, by its name. */
export function changesOf(
  before: Readonly<Record<string, { value: unknown }>>,
  after: Readonly<Record<string, { value: unknown }>>,
): Record<string, { before: unknown; after: unknown }> {
  const changes = Object.entries(after).map(([name, { value }]) => {
    return [name, { before: before[name]?.value, after: value }] as const;
  });
  return Object.fromEntries(
    changes.filter(([, change]) => JSON.stringify(change.before) !== JSON.stringify(change.after)),
  );
}

/** The schema of the setting that names those of `variables` that the desk shows and does not change. */
export function fixedVariables(variables: readonly string[]) {
  return z
    .string()
    .transform((value) => value.split(',').map((name) => name.trim()))
    .refine(
      (names) => names.every((name) => variables.includes(name)),
      `names out of ${variables.join(', ')}, separated by commas`,
    )
    .default([]);
}

interface DeskSettingsParts<Values> {
  environment: Values;
  /** The environment's name of each. */
  variables: Readonly<Record<keyof Values & string, string>>;
  /** The variables that the desk does not change. */
  fixed: readonly string[];
  /** The variable that names these. */
  fixedBy: string;
}

/** The rules by which settings made at the desk come before the environment's. */
export class DeskSettings<Values extends object> {
  readonly #environment: Values;
  readonly #variables: [keyof Values & string, string][];
  readonly #fixed: readonly string[];
  readonly #fixedBy: string;

  constructor({ environment, variables, fixed, fixedBy }: DeskSettingsParts<Values>) {
    this.#environment = environment;
    this.#variables = Object.entries(variables) as [keyof Values & string, string][];
    this.#fixed = fixed;
    this.#fixedBy = fixedBy;
  }

  /** What holds. */
  values(made: Made<Values>): Values {
    const entries = Object.entries(this.shown(made)).map(([name, setting]) => [
      name,
      (setting as DeskSetting<unknown>).value,
    ]);
    return Object.fromEntries(entries) as Values;
  }

  /** Each setting, with where it comes from. */
  shown(made: Made<Values>): DeskSettingsShown<Values> {
    const entries = this.#variables.map(([name, variable]) => {
      const [own, environment, isFixed] = [
        made[name],
        this.#environment[name],
        this.#fixed.includes(variable),
      ];
      const value = isFixed ? environment : (own ?? environment);
      return [name, { value, made: own, environment, variable, isFixed }];
    });
    return Object.fromEntries(entries) as DeskSettingsShown<Values>;
  }

  /** @throws Failure `invalid` if `change` has a member that the environment fixes */
  refuseFixed(change: object): void {
    const faults = this.#variables.flatMap(([field, variable]) => {
      if (!(field in change && this.#fixed.includes(variable))) return [];
      const message = `is fixed by ${variable} in the environment (${this.#fixedBy})`;
      return [{ field, code: 'not_allowed' as const, message }];
    });
    if (faults.length > 0) throw invalid(faults);
  }
}
