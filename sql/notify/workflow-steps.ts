import { z } from 'zod'
import { FetchStep } from './fetch-step.ts'
import { Channel } from './preferences.ts'
import { Condition, conditions, groupKey, maxConditions, minutes } from './step-conditions.ts'
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
    template_id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'must be the ID or the alias of an email template')
      .optional()
      .describe('Email template for the channel `email`: an ID or an alias. Default: the template of the text.'),
    conditions,
  })
  .refine(({ channel, template_id }) => template_id === undefined || channel === 'email', {
    path: ['template_id'],
    error: 'can only be used with the channel `email`',
  })
  .refine(({ channel, template }) => template === undefined || channel === 'whatsapp', {
    path: ['template'],
    error: 'can only be used with the channel `whatsapp`',
  })
  .meta({ id: 'notify.ChannelStep' })

export type ChannelStep = z.infer<typeof ChannelStep>

const WaitStep = z
  .strictObject({
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
  .meta({ id: 'notify.WaitStep' })

const DigestStep = z
  .strictObject({
    type: z.literal('digest'),
    minutes: minutes.describe(
      'Window in minutes. The first event opens the window. All events in the window continue as one.',
    ),
    key: groupKey.optional().describe('Field by which events are grouped. Each value has its own window.'),
  })
  .meta({ id: 'notify.DigestStep' })

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

const InnerBranch = branchOf(z.discriminatedUnion('type', plain)).meta({ id: 'notify.InnerBranchStep' })

const InnerStep = z.discriminatedUnion('type', [...plain, InnerBranch])

export const Step = z.discriminatedUnion('type', [...plain, branchOf(InnerStep).meta({ id: 'notify.BranchStep' })])

export type Step = z.infer<typeof Step>

export type BranchStep = Extract<Step, { type: 'branch' }>
