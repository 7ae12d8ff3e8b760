import { randomBytes } from 'node:crypto'
import { createSeal } from '#lib/seal.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'

/** A secret of Standard Webhooks, to be shown once. */
export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** A secret as it is stored: sealed as being about its endpoint. */
export const sealed = (secret: string, id: string, signing: string) =>
  createSeal(signing, endpoints.sealPurpose).close(secret, endpoints.secretAbout(id))
