import { z } from 'zod'
import { createSeal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/notify/fetch-secrets.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { createSecret } from '#tasks/webhooks/rules/secrets.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'

const FetchSecret = z
  .object({
    created_at: Instant,
    updated_at: Instant,
    previous_until: Instant.nullable().describe(
      'Requests are also signed with the previous secret until this time. `null` if there is none.',
    ),
  })
  .meta({ id: 'notify.FetchSecret' })

const present = ({ created_at, updated_at, previous_until }: rows.FetchSecret): z.input<typeof FetchSecret> => ({
  ...{ created_at, updated_at, previous_until },
})

export const read = route({
  method: 'GET',
  path: '/fetch-secret',
  summary: 'Read the state of the fetch secret',
  description: 'Returns when the secret of `fetch` steps was created and replaced. The secret is not returned.',
  scope: 'notify:read',
  status: 200,
  reply: FetchSecret,
  problems: ['not_found'],
  handle: async ({ org, db }) => present(await mustFind(rows.find(db, org.id), 'fetch secret')),
})

export const rotate = route({
  method: 'POST',
  path: '/fetch-secret/rotate',
  summary: 'Create or replace the fetch secret',
  description: `The secret signs the requests of \`fetch\` steps in workflows, like webhooks (Standard Webhooks 1.0). It is returned only in this response. For ${rows.previousHours} hours, requests are also signed with the previous secret.`,
  scope: 'notify:write',
  body: z.strictObject({}),
  status: 200,
  reply: FetchSecret.extend({
    secret: secret(z.string()).describe('Secret that signs the requests. Returned only in this response.'),
  }),
  async handle({ org, db, services }) {
    const created = createSecret()
    const sealed = createSeal(services(signingSecret), sealPurpose).close(created, rows.getSecretContext(org.id))
    return { ...present(await rows.put(db, org.id, sealed)), secret: created }
  },
})
