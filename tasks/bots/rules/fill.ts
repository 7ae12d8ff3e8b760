import type { Fault } from '#lib/errors.ts'
import { render } from '#lib/placeholders.ts'
import type { Version } from '#sql/bots/versions.ts'

type Values = Readonly<Record<string, string>>

/** The values that a version's placeholders have: those of the conversation before those of the bot, none for what is optional. */
function valuesOf(
  { variables, variable_values }: Pick<Version, 'variables' | 'variable_values'>,
  given: Values,
): Values {
  const optional = variables.filter(({ required }) => !required).map(({ key }) => [key, ''])
  return { ...Object.fromEntries(optional), ...variable_values, ...given }
}

/** A text of a version with its placeholders' values; a missing one leaves nothing in its place. */
export function fill(text: string, version: Pick<Version, 'variables' | 'variable_values'>, given: Values): string {
  return render('text', text, valuesOf(version, given), [])
}

/** A fault for each placeholder of a version that has no value yet. */
export function faultsOf(
  {
    system_prompt,
    greeting,
    ...version
  }: Pick<Version, 'system_prompt' | 'greeting' | 'variables' | 'variable_values'>,
  given: Values,
): Fault[] {
  const faults: Fault[] = []
  render('text', `${system_prompt}\n${greeting ?? ''}`, valuesOf(version, given), faults)
  return faults
}
