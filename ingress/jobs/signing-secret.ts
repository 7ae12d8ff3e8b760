import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import { rotateSecret, type SigningSecret as Shown, showSecret } from '#tasks/work/rules/manage-settings.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

const SigningSecret = z
  .object({
    secret: secret(z.string()).describe('Verifies the signatures of requests (Standard Webhooks 1.0)'),
    created_at: Instant,
    previous_until: Instant.nullable().describe(
      'Requests are also signed with the previous secret until this time. `null` if there is none.',
    ),
  })
  .meta({ id: 'jobs.SigningSecret' })

const present = ({ secret, settings }: Shown): z.input<typeof SigningSecret> => ({
  secret,
  created_at: settings.rotated_at ?? settings.created_at,
  previous_until: settings.previous_until && settings.previous_until > new Date() ? settings.previous_until : null,
})

export const get = route({
  method: 'GET',
  path: '/signing-secret',
  summary: 'Read the signing secret of jobs',
  description:
    'Returns the secret with which Millrace signs the requests of your jobs. The audit log records each call.',
  scope: 'jobs:write',
  status: 200,
  reply: SigningSecret,
  problems: ['conflict'],
  async handle(call) {
    const shown = await call.db.transaction((tx) => showSecret(tx, actorOfCall(call)))
    if (!shown) throw conflict('The secret can no longer be read, because SIGNING_SECRET was changed. Rotate it.')
    return present(shown)
  },
})

export const rotate = route({
  method: 'POST',
  path: '/signing-secret/rotate',
  summary: 'Replace the signing secret of jobs',
  description: 'Each request has two signatures until the previous secret expires.',
  scope: 'jobs:write',
  body: z.strictObject({
    keep_hours: z.int().min(0).max(168).default(24).describe('Hours until the previous secret expires'),
  }),
  status: 200,
  reply: SigningSecret,
  handle: async ({ body, ...call }) =>
    present(await call.db.transaction((tx) => rotateSecret(tx, actorOfCall(call), body.keep_hours * 3_600_000))),
})
