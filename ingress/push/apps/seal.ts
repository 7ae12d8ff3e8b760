import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/push/credentials.ts'
import type { Services } from '../../http/container.ts'
import { signingSecret } from '../../http/services.ts'

export const sealCredential = (services: Services, credentialId: string, secret: string): string =>
  createSeal(services(signingSecret), sealPurpose).close(secret, credentialId)
