import { z } from 'zod'
import { maxConditions } from '#sql/notify/step-conditions.ts'
import { optionalField, repeatedField } from '../../http/html/form.ts'
import type { StepKind } from './step-icons.ts'
import { type TimeUnit, timeUnits } from './step-words.ts'

const text = optionalField(z.string())

const conditionNames = Array.from({ length: maxConditions }, (_, i) => [`field_${i}`, `operator_${i}`, `value_${i}`])

/** Fields of every kind of step. A form has the fields of its kind. */
export const StepFields = z
  .object({
    seen: text,
    at: text,
    text,
    template_name: text,
    template_language: text,
    template_variables: text,
    template_id: text,
    amount: text,
    unit: z.enum(['minutes', 'hours', 'days']).default('minutes'),
    until: text,
    key: text,
    name: text,
    method: text,
    url: text,
    timeout_seconds: text,
    on_failure: text,
    runs: text,
    from: text,
    to: text,
    days: repeatedField(z.string()).optional(),
  })
  .extend(Object.fromEntries(conditionNames.flat().map((name) => [name, text])))

export type GivenStep = z.output<typeof StepFields> & Record<string, unknown>

/** Returns the step of a form as the API accepts it. The API checks it. */
export function toStep(kind: StepKind, given: GivenStep): object {
  const conditions = rowsOf(given).map(({ field, operator, value }) => ({ field, operator, ...(value && { value }) }))
  const only = conditions.length > 0 && { conditions }
  const time = { minutes: minutesOf(given) }
  const key = given.key && { key: given.key.trim() }
  switch (kind) {
    case 'digest':
      return { type: kind, ...time, ...key }
    case 'wait':
      return { type: kind, ...time, ...(given.until && { until: given.until }), ...only }
    case 'throttle':
      return { type: kind, runs: numberOr(given.runs), ...time, ...key, ...only }
    case 'schedule':
      return { type: kind, ...scheduleOf(given), ...only }
    case 'fetch':
      return { type: kind, ...fetchOf(given), ...only }
    case 'branch':
      return { type: kind, conditions, steps: [] }
    default:
      return { type: 'channel', channel: kind, ...channelOf(kind, given), ...only }
  }
}

function channelOf(kind: StepKind, given: GivenStep) {
  const { template_name: name, template_language: language, template_variables: lines } = given
  const variables = linesOf(lines)
  const template = { name: name ?? '', language: language ?? '', ...(variables.length > 0 && { variables }) }
  const hasTemplate = kind === 'whatsapp' && (name || language || variables.length > 0)
  return {
    ...(given.text && { text: given.text.trim() }),
    ...(hasTemplate && { template }),
    ...(kind === 'email' && given.template_id && { template_id: given.template_id.trim() }),
  }
}

const fetchOf = ({ name, method, url, timeout_seconds, on_failure }: GivenStep) => ({
  ...{ name: name?.trim() ?? '', method, url: url?.trim() ?? '', on_failure },
  ...(timeout_seconds && { timeout_seconds: numberOr(timeout_seconds) }),
})

function scheduleOf({ from, to, ...given }: GivenStep) {
  const days = [given.days ?? []].flat()
  return { from: from?.trim() ?? '', ...(to && { to: to.trim() }), ...(days.length > 0 && { days }) }
}

const numberOr = (text: string | undefined): unknown =>
  text === undefined || !Number.isFinite(Number(text)) ? text : Number(text)

const linesOf = (lines: string | undefined) => (lines ?? '').split('\n').flatMap((line) => line.trim() || [])

function minutesOf({ amount, unit }: GivenStep): unknown {
  if (amount === undefined) return undefined
  const number = Number(amount)
  return Number.isFinite(number) ? number * timeUnits[unit as TimeUnit] : amount
}

/** Conditions of a form, without empty rows. `row` is the number of the row. */
function rowsOf(given: Readonly<Record<string, unknown>>) {
  return conditionNames.flatMap((_, row) => {
    const [field, value] = [given[`field_${row}`], given[`value_${row}`]].map((one) => String(one ?? '').trim())
    const operator = String(given[`operator_${row}`] ?? 'equal_to')
    return field || value ? [{ row, field: field as string, operator, value: value as string }] : []
  })
}

/** Returns the name of the form’s field for a path in a step, such as `conditions.0.value`. */
export const fieldNamer =
  (given: GivenStep) =>
  (path: string): string | undefined => {
    const [head = '', second, third] = path.split('.')
    if (head === 'minutes') return 'amount'
    if (head === 'template') return second ? `template_${second}` : 'template_name'
    if (head === 'conditions') {
      const row = rowsOf(given)[Number(second)]?.row
      return row === undefined ? undefined : `${third ?? 'field'}_${row}`
    }
    return plainFields.includes(head) ? head : undefined
  }

const plainFields = [
  ...[
    'text',
    'until',
    'key',
    'name',
    'method',
    'url',
    'timeout_seconds',
    'on_failure',
    'runs',
    'from',
    'to',
    'days',
    'template_id',
  ],
]
