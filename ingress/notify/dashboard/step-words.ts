import type { z } from 'zod'
import type { Condition } from '#sql/notify/step-conditions.ts'
import type { ScheduleStep, Weekday } from '#sql/notify/timed-steps.ts'
import type { ChannelStep, Step } from '#sql/notify/workflow-steps.ts'
import { counted } from '../../http/html/format.ts'
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
  switch (step.type) {
    case 'channel':
      return describeChannel(step)
    case 'branch':
      return html`Runs the first steps if all conditions are true, otherwise the others`
    case 'fetch':
      return html`<code>${step.method ?? 'GET'}</code> <code>${step.url}</code>, response in <code>fetch.${step.name}.…</code>${step.on_failure === 'stop' && ', stops if it fails'}`
    case 'schedule':
      return describeSchedule(step)
    case 'throttle':
      return html`Up to ${counted(step.runs, 'run')} of a person in ${formatMinutes(step.minutes)}${step.key && html`, separately for each <code>${step.key}</code>`}`
    case 'digest':
      return html`Collects events for ${formatMinutes(step.minutes)}${step.key && html`, separately for each <code>${step.key}</code>`}`
    case 'wait': {
      const time = formatMinutes(step.minutes)
      return step.until
        ? html`Continues if the item is still ${step.until} after ${time}`
        : html`Continues after ${time}`
    }
  }
}

const describeChannel = ({ text, template, template_id }: ChannelStep): Html =>
  html`Text of ${text ? html`<code>${text}</code>` : 'the event type'}${template && html`, template <code>${template.name}</code> (${template.language})`}${template_id !== undefined && html`, email template <code>${template_id}</code>`}`

function describeSchedule({ from, to, days }: ScheduleStep): Html {
  const time = to === undefined ? `at ${from}` : `between ${from} and ${to}`
  return html`Continues ${time}${days ? ` on ${days.map((day) => dayWords[day]).join(', ')}` : ' every day'}, local time of the person`
}

export const dayWords: Readonly<Record<z.infer<typeof Weekday>, string>> = {
  ...{ mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday' },
  ...{ fri: 'Friday', sat: 'Saturday', sun: 'Sunday' },
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
  return html`<p class="flow-if"><span class="quiet">${step.type === 'branch' ? 'If' : 'Only if'}</span> ${step.conditions.map(
    ({ field, operator, value }, i) =>
      html`${i > 0 && html` <span class="quiet">and</span> `}<code>${field}</code> ${operatorWords[operator]}${value !== undefined && html` <code>${value}</code>`}`,
  )}</p>`
}
