import type { Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import type { CloudApi, NumberApi } from '../engine.ts'
import { CloudApiError } from '../engine.ts'

export class NumberRemovedError extends Error {
  override name = 'NumberRemovedError'
}

const getAssociatedData = (numberId: string, name: keyof numbers.Secrets): string => `${numberId} ${name}`

export const sealSecret = (seal: Seal, numberId: string, name: keyof numbers.Secrets, secret: string): string =>
  seal.close(secret, getAssociatedData(numberId, name))

/**
 * Decrypts the secrets of a number. Throws `NumberRemovedError` if they were deleted, and `not_configured` if they cannot be
 * decrypted.
 */
export function openSecrets(seal: Seal | undefined, number: numbers.BusinessNumber): numbers.Secrets {
  if (number.state === 'removed') throw new NumberRemovedError('the number was removed')
  const opened = (name: keyof numbers.Secrets): string => {
    const secret = seal?.open(number[name], getAssociatedData(number.id, name)) ?? null
    if (secret === null) throw new CloudApiError('not_configured', 'The secrets of the number cannot be decrypted.')
    return secret
  }
  return {
    access_token: opened('access_token'),
    app_secret: opened('app_secret'),
    verify_token: opened('verify_token'),
  }
}

/** Returns the Cloud API of an organisation's number, or of the platform's number for `null`. */
export async function getNumberApi(
  { db, whatsapp, seal }: { db: Db; whatsapp: CloudApi; seal: Seal | undefined },
  numberId: string | null,
): Promise<NumberApi> {
  if (numberId === null) return whatsapp
  const number = await numbers.findAny(db, numberId)
  if (!number) throw new NumberRemovedError('this number does not exist')
  const secrets = openSecrets(seal, number)
  return whatsapp.as({
    phoneNumberId: number.phone_number_id,
    accountId: number.account_id,
    accessToken: secrets.access_token,
    appSecret: secrets.app_secret,
  })
}
