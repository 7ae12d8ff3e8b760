import type { Fault } from '#lib/errors.ts'
import { render } from '#lib/placeholders.ts'
import type { Version } from '#sql/bots/versions.ts'

type Values = Readonly<Record<string, string>>

/**
 * Returns the placeholder values of a version. Values of the conversation override the bot’s values. Optional
 * placeholders without a value are empty.
 */
function getValues(
  { variables, variable_values }: Pick<Version, 'variables' | 'variable_values'>,
  given: Values,
): Values {
  const optional = variables.filter(({ required }) => !required).map(({ key }) => [key, ''])
  return { ...Object.fromEntries(optional), ...variable_values, ...given }
}

export function fill(text: string, version: Pick<Version, 'variables' | 'variable_values'>, given: Values): string {
  return render('text', text, getValues(version, given), [])
}

export function findMissingValues(
  {
    system_prompt,
    greeting,
    ...version
  }: Pick<Version, 'system_prompt' | 'greeting' | 'variables' | 'variable_values'>,
  given: Values,
): Fault[] {
  const faults: Fault[] = []
  render('text', `${system_prompt}\n${greeting ?? ''}`, getValues(version, given), faults)
  return faults
}
