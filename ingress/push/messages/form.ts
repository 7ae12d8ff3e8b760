import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import { Overrides } from '#sql/push/messages.ts'
import { Data } from '../fields.ts'
import { image, PlatformParts } from './parts.ts'
import { QuietHoursForm } from './quiet-hours-form.ts'
import { TargetForm } from './targets.ts'

/** Maximum time to live in seconds. Providers keep a message for up to 28 days, which is FCM’s limit. */
const longestTtl = 2_419_200

/** Default time to live in seconds. */
const usualTtl = 86_400

/** Maximum delay until `send_at` in milliseconds. */
const longestWaitMs = 30 * 24 * 3_600_000

const override = z.record(z.string().max(200), z.unknown())

export const MessageForm = z
  .strictObject({
    app_id: Id,
    target: TargetForm,
    title: z.string().max(1_000).optional(),
    body: z.string().max(4_000).optional(),
    data: Data.optional().describe('Values for the app. A message without `title` and `body` shows nothing.'),
    image: image.optional(),
    ...PlatformParts,
    rate: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('Maximum number of deliveries per second, for messages to more than one user'),
    quiet_hours: QuietHoursForm.optional(),
    priority: z
      .int()
      .min(1)
      .max(10)
      .default(5)
      .describe('Priority: 1 (low), 5 (normal) or 10 (high). High priority wakes a sleeping device. Default: 5.'),
    ttl: z
      .int()
      .min(0)
      .max(longestTtl)
      .default(usualTtl)
      .describe('Time to live in seconds, 0 to 2,419,200. With 0, each device is tried once. Default: 86,400.'),
    collapse_key: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[\x21-\x7e]+$/, 'must be ASCII without spaces')
      .optional()
      .describe('A new message replaces an older message with the same key that has not been shown'),
    send_at: InstantInput.refine((at) => Date.parse(at) <= Date.now() + longestWaitMs, 'must be within 30 days')
      .optional()
      .describe('Scheduled send time, up to 30 days ahead'),
    dry_run: z
      .boolean()
      .default(false)
      .describe('True to check the message with FCM without delivering it. Default: `false`.'),
    template_id: Id.optional().describe('Template that provides `title` and `body`, in the language of each device'),
    variables: z
      .record(z.string().max(64), z.union([z.string().max(4_000), z.number(), z.boolean()]))
      .optional()
      .describe('Values for the template’s `{{variables}}`'),
    overrides: Overrides.extend({
      apns: override.optional().describe('Merged into the APNs payload: `{"aps": {"sound": "default"}}`'),
      fcm: override.optional().describe('Merged into the FCM message'),
      webpush: override.optional().describe('Merged into the payload for the service worker and the stream'),
    })
      .strict()
      .optional(),
    idempotency_key: z.string().min(1).max(255).optional(),
  })
  .superRefine((form, context) => {
    for (const [field, message] of faultsOf(form))
      context.addIssue({ code: 'custom', path: [field], message, input: undefined })
  })

export type MessageForm = z.output<typeof MessageForm>

function faultsOf(form: Partial<MessageForm> & Pick<MessageForm, 'target'>): [string, string][] {
  const { template_id, title, body, data, variables, overrides, target, rate } = form
  const isRendered = template_id !== undefined
  const isEmpty = title === undefined && body === undefined && data === undefined
  const faults: [string, string, boolean][] = [
    ['rate', 'can only be used for messages to more than one person', rate !== undefined && target.type === 'user'],
    ['variables', 'can only be used with a template', !isRendered && variables !== undefined],
    ['title', 'is required if there is no body, data or template_id', !isRendered && isEmpty],
    ['title', 'cannot be used together with `template_id`', isRendered && title !== undefined],
    ['body', 'cannot be used together with `template_id`', isRendered && body !== undefined],
    ...['token', 'topic', 'condition'].map((name): [string, string, boolean] => {
      return [
        'overrides.fcm',
        `must not contain ${name}, because the message has a target`,
        name in (overrides?.fcm ?? {}),
      ]
    }),
  ]
  return faults.flatMap(([field, message, isSo]) => (isSo ? [[field, message]] : []))
}
