import type { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/whatsapp/business-numbers.ts'
import { openSecrets } from '#tasks/whatsapp/rules/own-number.ts'
import type { Services } from '../http/container.ts'
import { mustFind } from '../http/must-find.ts'
import { signingSecret } from '../http/services.ts'
import { ask, sealed } from './connect-number.ts'
import type { RotateForm } from './number-form.ts'

/** Has Meta asked for a number with other secrets, beside it as it is; throws 400 with what is at fault. */
export async function tryRotation(
  { db, services }: { db: DatabasePool; services: Services },
  { id, org_id, phone_number_id, account_id }: rows.Facts,
  given: z.output<typeof RotateForm>,
): Promise<void> {
  const now = await mustFind(rows.findAny(db, id), 'number')
  if (now.state !== 'connected') throw notFound('number')
  const secrets = openSecrets(createSeal(services(signingSecret), rows.sealPurpose), now)
  const trial = newId()
  const tried = sealed(services, trial, { ...secrets, ...given })
  await rows.insert(db, { id: trial, org_id, phone_number_id, account_id, ...tried })
  try {
    await ask({ db, services }, trial, org_id)
  } finally {
    await rows.discard(db, trial)
  }
}
