import { z } from 'zod'
import { FetchStep } from './fetch-step.ts'
import { flattenSteps } from './flat-steps.ts'
import { Channel } from './preferences.ts'
import { Condition, conditions, getFetchName, groupKey, maxConditions, minutes } from './step-conditions.ts'
import { ScheduleStep, ThrottleStep } from './timed-steps.ts'

const WhatsappTemplate = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'must be a template name of a–z, 0–9 and _'),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2,3})?$/, 'must be a WhatsApp language code, such as en or en_US'),
  variables: z.array(z.string().min(1).max(500)).max(20).optional().describe('Strings with placeholders, in order'),
})

export const ChannelStep = z
  .strictObject({
    type: z.literal('channel'),
    channel: Channel,
    text: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Event type whose text is used. Default: the type of the event.'),
    template: WhatsappTemplate.optional().describe('WhatsApp template for people who have not written within 24 hours'),
    conditions,
  })
  .refine(({ channel, template }) => template === undefined || channel === 'whatsapp', {
    path: ['template'],
    error: 'can only be used with the channel `whatsapp`',
  })

export type ChannelStep = z.infer<typeof ChannelStep>

const WaitStep = z.strictObject({
  type: z.literal('wait'),
  minutes,
  until: z
    .enum(['unread', 'unseen'])
    .optional()
    .describe(
      'If the item is still in this state after the time, the run continues. If the state changes, the run ends.',
    ),
  conditions,
})

const DigestStep = z.strictObject({
  type: z.literal('digest'),
  minutes: minutes.describe(
    'Window in minutes. The first event opens the window. All events in the window continue as one.',
  ),
  key: groupKey.optional().describe('Field by which events are grouped. Each value has its own window.'),
})

/** Maximum number of steps of a workflow, including those in branches. */
export const maxSteps = 20

/** Steps without further steps. */
const plain = [ChannelStep, WaitStep, DigestStep, FetchStep, ThrottleStep, ScheduleStep] as const

const branchOf = <Inner extends z.ZodType>(inner: Inner) =>
  z.strictObject({
    type: z.literal('branch'),
    conditions: z
      .array(Condition)
      .min(1)
      .max(maxConditions)
      .describe('Conditions, up to 10. If all are true, `steps` run, otherwise `else`.'),
    steps: z.array(inner).max(maxSteps).describe('Steps that run if all conditions are true'),
    else: z.array(inner).max(maxSteps).optional().describe('Steps that run otherwise. Default: none.'),
  })

const InnerBranch = branchOf(z.discriminatedUnion('type', plain))

const InnerStep = z.discriminatedUnion('type', [...plain, InnerBranch])

export const Step = z.discriminatedUnion('type', [...plain, branchOf(InnerStep)])

export type Step = z.infer<typeof Step>

export type BranchStep = Extract<Step, { type: 'branch' }>

export const Steps = z
  .array(Step)
  .min(1)
  .max(maxSteps)
  .superRefine((steps, { addIssue }) => {
    for (const { path, message } of findStepFaults(steps)) addIssue({ code: 'custom', path: [...path], message })
  })

interface StepFault {
  path: readonly (string | number)[]
  message: string
}

/** Returns what is wrong with the order of steps. */
function findStepFaults(steps: readonly Step[]): readonly StepFault[] {
  const flat = flattenSteps(steps)
  const faults: StepFault[] = []
  const names = new Set<string>()
  for (const [i, { step, path }] of flat.entries()) {
    const refuse = (message: string, ...field: (string | number)[]) =>
      faults.push({ path: [...path, ...field], message })
    const earlier = flat.slice(0, i).map((one) => one.step)
    const hasItem = earlier.some((one) => one.type === 'channel' && one.channel === 'in_app')
    if (step.type === 'digest' && i > 0) refuse('can only be used for the first step', 'type')
    if (step.type === 'wait' && step.until !== undefined && !hasItem)
      refuse('requires an earlier step with the channel `in_app`', 'until')
    for (const [n, { field }] of ('conditions' in step ? (step.conditions ?? []) : []).entries()) {
      const name = getFetchName(field)
      if (name !== undefined && !names.has(name))
        refuse(`requires an earlier \`fetch\` step with the name \`${name}\``, 'conditions', n, 'field')
    }
    if (step.type !== 'fetch') continue
    if (names.has(step.name)) refuse('must be different from the names of other `fetch` steps', 'name')
    names.add(step.name)
  }
  for (const path of repeatedItems(steps, flat)) faults.push({ path: [...path, 'channel'], message: itemOnce })
  if (flat.length > maxSteps)
    faults.push({ path: [], message: `must have at most ${maxSteps} steps, with those of branches` })
  if (steps.length > 0 && !flat.some(({ step }) => step.type === 'channel'))
    faults.push({ path: [], message: 'must contain at least one channel' })
  return faults
}

const itemOnce = 'can be `in_app` only once in a workflow'

/** Returns the paths of `in_app` steps that a run can reach after another one. */
function repeatedItems(
  steps: readonly Step[],
  flat: ReturnType<typeof flattenSteps>,
): readonly (readonly (string | number)[])[] {
  const pathOf = new Map<Step, readonly (string | number)[]>(flat.map(({ step, path }) => [step, path]))
  const found: (readonly (string | number)[])[] = []
  /** Returns whether a run can have an item after the steps. */
  function visit(list: readonly Step[], had: boolean): boolean {
    let has = had
    for (const step of list) {
      if (step.type === 'branch') has = [step.steps, step.else ?? []].map((some) => visit(some, has)).includes(true)
      if (step.type !== 'channel' || step.channel !== 'in_app') continue
      if (has) found.push(pathOf.get(step) as readonly (string | number)[])
      has = true
    }
    return has
  }
  visit(steps, false)
  return found
}
