import { defaultTimeout } from '#sql/notify/fetch-step.ts'
import type { Step } from '#sql/notify/workflow-steps.ts'
import { kindOf } from './step-icons.ts'
import { splitMinutes } from './step-words.ts'

type Values = Readonly<Record<string, string | readonly string[]>>

/** Returns a step as the values of its form. */
export const valuesOf = (step: Step): Values => ({ ...timeOf(step), ...conditionsOf(step), ...ownOf(step) })

function timeOf(step: Step): Values {
  if (!('minutes' in step)) return {}
  const [amount, unit] = splitMinutes(step.minutes)
  return { amount: String(amount), unit }
}

function conditionsOf(step: Step): Values {
  const conditions = step.type === 'digest' ? [] : (step.conditions ?? [])
  return Object.fromEntries(
    conditions.flatMap(({ field, operator, value = '' }, i) => [
      ...[[`field_${i}`, field] as const, [`operator_${i}`, operator] as const, [`value_${i}`, value] as const],
    ]),
  )
}

function ownOf(step: Step): Values {
  switch (step.type) {
    case 'digest':
      return { key: step.key ?? '' }
    case 'wait':
      return { until: step.until ?? '' }
    case 'throttle':
      return { runs: String(step.runs), key: step.key ?? '' }
    case 'schedule':
      return { from: step.from, to: step.to ?? '', days: step.days ?? [] }
    case 'fetch': {
      const { name, method = 'GET', url, timeout_seconds = defaultTimeout, on_failure = 'continue' } = step
      return { name, method, url, on_failure, timeout_seconds: String(timeout_seconds) }
    }
    case 'branch':
      return {}
    case 'channel': {
      const { name = '', language = '', variables = [] } = step.template ?? {}
      const template = { template_name: name, template_language: language, template_variables: variables.join('\n') }
      const mail = { template_id: step.template_id ?? '' }
      return {
        text: step.text ?? '',
        ...(kindOf(step) === 'whatsapp' && template),
        ...(kindOf(step) === 'email' && mail),
      }
    }
  }
}
