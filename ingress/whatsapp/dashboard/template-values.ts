import type { Variable } from '../template-variables.ts'

/** Returns the components of a template message with a value for each variable. Undefined if there are no variables. */
export function buildComponents(variables: readonly Variable[], pick: (one: Variable, i: number) => string) {
  if (variables.length === 0) return undefined
  const given = variables.map((one, i) => ({ ...one, value: pick(one, i) }))
  const ofPart = (type: 'header' | 'body') => given.filter(({ component }) => component === type)
  const parts = (['header', 'body'] as const).flatMap((type) => {
    const found = ofPart(type)
    return found.length === 0 ? [] : [{ type, parameters: found.map(parameterOf) }]
  })
  const buttons = given
    .filter(({ component }) => component === 'button')
    .map(({ index, value }) => ({
      type: 'button',
      sub_type: 'url',
      index,
      parameters: [{ type: 'text', text: value }],
    }))
  return [...parts, ...buttons]
}

function parameterOf({ type, name, value }: Variable & { value: string }) {
  if (type === 'text') return { type, text: value, ...(name !== null && { parameter_name: name }) }
  return { type, [type]: { link: value } }
}
