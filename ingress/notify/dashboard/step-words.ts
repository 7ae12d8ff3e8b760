import type { Condition, Step } from '#sql/notify/workflow-steps.ts'
import { type Html, html } from '../../http/html/html.ts'

/** Formats minutes with the largest unit that needs no fraction: `10 minutes`, `2 hours`, `1 day`. */
export function formatMinutes(minutes: number): string {
  const [amount, unit] = splitMinutes(minutes)
  return `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`
}

export const timeUnits = { minutes: 1, hours: 60, days: 1_440 } as const

export type TimeUnit = keyof typeof timeUnits

export function splitMinutes(minutes: number): readonly [number, TimeUnit] {
  const unit = minutes % 1_440 === 0 ? 'days' : minutes % 60 === 0 ? 'hours' : 'minutes'
  return [minutes / timeUnits[unit], unit]
}

/** Renders what a step does, in one line. */
export function describeStep(step: Step): Html {
  if (step.type === 'channel') {
    const { text, template, template_id } = step
    return html`Text of ${text ? html`<code>${text}</code>` : 'the event type'}${template && html`, template <code>${template.name}</code> (${template.language})`}${template_id !== undefined && html`, email template <code>${template_id}</code>`}`
  }
  const time = formatMinutes(step.minutes)
  if (step.type === 'digest')
    return html`Collects events for ${time}${step.key && html`, separately for each <code>${step.key}</code>`}`
  return step.until ? html`Continues if the item is still ${step.until} after ${time}` : html`Continues after ${time}`
}

export const operatorWords: Readonly<Record<Condition['operator'], string>> = {
  equal_to: 'is equal to',
  not_equal_to: 'is not equal to',
  greater_than: 'is greater than',
  less_than: 'is less than',
  contains: 'contains',
  not_contains: 'does not contain',
  empty: 'is empty',
  not_empty: 'is not empty',
}

export function describeConditions(step: Step): Html | false {
  if (step.type === 'digest' || !step.conditions?.length) return false
  return html`<p class="flow-if"><span class="quiet">Only if</span> ${step.conditions.map(
    ({ field, operator, value }, i) =>
      html`${i > 0 && html` <span class="quiet">and</span> `}<code>${field}</code> ${operatorWords[operator]}${value !== undefined && html` <code>${value}</code>`}`,
  )}</p>`
}
