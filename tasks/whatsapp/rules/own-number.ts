import type { Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import type { CloudApi, NumberApi } from '../engine.ts'
import { CloudApiError } from '../engine.ts'

/** Thrown where a number is needed that its organisation has removed. */
export class NumberRemoved extends Error {
  override name = 'NumberRemoved'
}

/** What a secret of a number is sealed with beside the key. */
const aboutOf = (numberId: string, name: keyof numbers.Secrets): string => `${numberId} ${name}`

/** A secret of a number as it is stored. */
export const sealSecret = (seal: Seal, numberId: string, name: keyof numbers.Secrets, secret: string): string =>
  seal.close(secret, aboutOf(numberId, name))

/** The secrets of a number; throws `NumberRemoved` when there are none any more, and `not_configured` when they cannot be opened. */
export function openSecrets(seal: Seal | undefined, number: numbers.BusinessNumber): numbers.Secrets {
  if (number.state === 'removed') throw new NumberRemoved('the number was removed')
  const opened = (name: keyof numbers.Secrets): string => {
    const secret = seal?.open(number[name], aboutOf(number.id, name)) ?? null
    if (secret === null) throw new CloudApiError('not_configured', 'The secrets of the number cannot be decrypted.')
    return secret
  }
  return {
    access_token: opened('access_token'),
    app_secret: opened('app_secret'),
    verify_token: opened('verify_token'),
  }
}

/** The Cloud API as an organisation's number has it, or the platform's where that is null. */
export async function apiOf(
  { db, whatsapp, seal }: { db: Db; whatsapp: CloudApi; seal: Seal | undefined },
  numberId: string | null,
): Promise<NumberApi> {
  if (numberId === null) return whatsapp
  const number = await numbers.findAny(db, numberId)
  if (!number) throw new NumberRemoved('this number does not exist')
  const secrets = openSecrets(seal, number)
  return whatsapp.as({
    phoneNumberId: number.phone_number_id,
    accountId: number.account_id,
    accessToken: secrets.access_token,
    appSecret: secrets.app_secret,
  })
}
