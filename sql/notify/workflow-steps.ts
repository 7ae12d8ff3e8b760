import { z } from 'zod'
import { Channel } from './preferences.ts'

/** Fields of conditions, in addition to `data.…` and `person.data.…`. */
export const fixedFields = [
  ...['type', 'product_key', 'title', 'url', 'count', 'inbox'],
  ...['person.name', 'person.email', 'person.phone', 'person.locale', 'person.time_zone'],
  ...Channel.options.map((channel) => `channels.${channel}`),
] as const

const isField = (field: string): boolean =>
  fixedFields.some((fixed) => fixed === field) ||
  ['data.', 'person.data.'].some((start) => field.startsWith(start) && field.length > start.length)

/** One comparison. All comparisons of a step must be true. */
export const Condition = z
  .strictObject({
    field: z
      .string()
      .max(120)
      .refine(isField, { error: `must be data.…, person.data.…, or one of ${fixedFields.join(', ')}` }),
    operator: z.enum([
      ...(['equal_to', 'not_equal_to', 'greater_than', 'less_than'] as const),
      ...(['contains', 'not_contains', 'empty', 'not_empty'] as const),
    ]),
    value: z.string().max(500).optional().describe('Value to compare with. Numbers are compared as numbers.'),
  })
  .refine(({ operator, value }) => operator.endsWith('empty') === (value === undefined), {
    path: ['value'],
    error: 'is required, except for `empty` and `not_empty`, which have no value',
  })

export type Condition = z.infer<typeof Condition>

export const maxConditions = 10

const conditions = z
  .array(Condition)
  .max(maxConditions)
  .optional()
  .describe('Conditions, up to 10. If one is false, the step is skipped.')

/** Duration of a wait in minutes, up to 30 days. */
const minutes = z.int().min(1).max(43_200)

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
  key: z
    .string()
    .max(120)
    .refine((key) => key.startsWith('data.') && key.length > 5, { error: 'must be data.…' })
    .optional()
    .describe('Field by which events are grouped. Each value has its own window.'),
})

export const Step = z.discriminatedUnion('type', [ChannelStep, WaitStep, DigestStep])

export type Step = z.infer<typeof Step>

export const maxSteps = 20

export const Steps = z
  .array(Step)
  .min(1)
  .max(maxSteps)
  .superRefine((steps, { addIssue }) => {
    const channels = steps.map((step) => (step.type === 'channel' ? step.channel : undefined))
    steps.forEach((step, i) => {
      const refuse = (field: string, message: string) => addIssue({ code: 'custom', path: [i, field], message })
      if (step.type === 'digest' && i > 0) refuse('type', 'can only be used for the first step')
      if (step.type === 'channel' && step.channel === 'in_app' && channels.indexOf('in_app') < i)
        refuse('channel', 'can be `in_app` only once in a workflow')
      if (step.type === 'wait' && step.until !== undefined && !channels.slice(0, i).includes('in_app'))
        refuse('until', 'requires an earlier step with the channel `in_app`')
    })
    if (steps.length > 0 && channels.every((channel) => channel === undefined))
      addIssue({ code: 'custom', message: 'must contain at least one channel' })
  })
