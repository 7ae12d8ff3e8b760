import { randomBytes } from 'node:crypto'
import { createSeal } from '#lib/seal.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'

export const createSecret = () => `whsec_${randomBytes(32).toString('base64')}`

export const sealSecret = (secret: string, id: string, signing: string) =>
  createSeal(signing, endpoints.sealPurpose).close(secret, endpoints.getSecretContext(id))
