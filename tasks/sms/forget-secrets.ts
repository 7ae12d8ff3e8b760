import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as providers from '#sql/sms/providers.ts'
import { task } from '../queue/task.ts'

/** Deletes the secret of a removed connection when its late callbacks are no longer accepted. */
export const forgetSecrets = task({
  name: 'sms/forget-secrets',
  pool: 'sms',
  payload: z.object({ providerId: Id }),
  attempts: 20,
  timeout: 30_000,
  tracked: false,
  run: ({ providerId }, { db }) => providers.forgetSecrets(db, providerId),
})
