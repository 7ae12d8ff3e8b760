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
import { checkAtMeta, getSealer, sealSecrets } from './connect-number.ts'
import type { RotateNumberBody } from './number-form.ts'

/** Checks a number with Meta, using the new secrets and the existing others. Throws 400 with the rejected field. */
export async function checkRotation(
  { db, services }: { db: DatabasePool; services: Services },
  { id, org_id, phone_number_id, account_id }: rows.Facts,
  given: z.output<typeof RotateNumberBody>,
): Promise<void> {
  const now = await mustFind(rows.findAny(db, id), 'number')
  if (now.state !== 'connected') throw notFound('number')
  const secrets = openSecrets(createSeal(services(signingSecret), rows.sealPurpose), now)
  const trial = newId()
  const tried = sealSecrets(services, trial, {
    access_token: given.access_token ?? secrets.access_token,
    app_secret: given.app_secret ?? secrets.app_secret,
    verify_token: given.verify_token ?? secrets.verify_token,
  })
  await rows.insert(db, { id: trial, org_id, phone_number_id, account_id, ...tried })
  try {
    await checkAtMeta({ db, services }, trial, org_id)
  } finally {
    await rows.discard(db, trial)
  }
}

export function sealGivenSecrets(
  services: Services,
  id: string,
  given: z.output<typeof RotateNumberBody>,
): Partial<rows.Secrets> {
  const sealOne = getSealer(services, id)
  const { access_token, app_secret, verify_token } = given
  return {
    ...(access_token !== undefined && { access_token: sealOne('access_token', access_token) }),
    ...(app_secret !== undefined && { app_secret: sealOne('app_secret', app_secret) }),
    ...(verify_token !== undefined && { verify_token: sealOne('verify_token', verify_token) }),
  }
}
