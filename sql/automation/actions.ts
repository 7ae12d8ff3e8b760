import { z } from 'zod'
import { methods, Retries, ratePeriods } from '../work/jobs.ts'

export const actionTypes = ['workflow', 'job', 'template'] as const

const WorkflowAction = z.object({
  type: z.literal('workflow'),
  workflow: z.string(),
  user_id: z.string(),
  title: z.string(),
  body: z.string().nullable(),
  url: z.string().nullable(),
  data: z.record(z.string(), z.string()),
  email: z.string().nullable(),
})

const TemplateAction = z.object({
  type: z.literal('template'),
  /** ID or alias. */
  template: z.string(),
  to: z.string(),
  from: z.string().nullable(),
  variables: z.record(z.string(), z.unknown()),
})

/** A job. Its texts can contain placeholders. Its headers are sealed in another column. */
const JobAction = z.object({
  type: z.literal('job'),
  url: z.string(),
  method: z.enum(methods),
  header_names: z.array(z.string()),
  /** Any JSON value. Without a body, the job sends the event. */
  body: z.unknown().optional(),
  retries: Retries.optional(),
  timeout: z.number(),
  concurrency: z.object({ key: z.string(), limit: z.number() }).optional(),
  rate: z.object({ key: z.string(), limit: z.number(), per: z.enum(ratePeriods) }).optional(),
  group: z.string().optional(),
  delay: z.number().optional(),
  dedupe_key: z.string().optional(),
  dedupe_window: z.number().optional(),
})

export const Action = z.discriminatedUnion('type', [WorkflowAction, TemplateAction, JobAction])

export type Action = z.infer<typeof Action>

export type ActionOf<Type extends Action['type']> = Extract<Action, { type: Type }>
