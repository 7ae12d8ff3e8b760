import { badRequest } from '#lib/errors.ts'
import { createSeal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/sms/providers.ts'
import { SmsError } from '#tasks/sms/engine.ts'
import { keepCallbackSecret, openConnection, sealSecrets } from '#tasks/sms/rules/own-provider.ts'
import { findUrlFault, hasLocalOrg, isLocalOrg } from '#tasks/webhooks/rules/endpoint-url.ts'
import type { Services } from '../http/container.ts'
import { signingSecret } from '../http/services.ts'
import type { kinds, ProviderForm } from './provider-form.ts'

type KindParts = Pick<ProviderForm, (typeof kinds)[number]>

/** Divides the part of a form for its kind into public settings and secrets. */
export function divideSettings(
  kind: rows.Kind,
  form: KindParts,
): { settings: Record<string, unknown>; secrets: Record<string, unknown> } {
  if (kind === 'twilio') {
    const { auth_token, ...settings } = form.twilio as NonNullable<KindParts['twilio']>
    return { settings, secrets: { auth_token } }
  }
  if (kind === 'vonage') {
    const { api_secret, private_key, signature_secret, ...settings } = form.vonage as NonNullable<KindParts['vonage']>
    return { settings, secrets: { api_secret, private_key, signature_secret } }
  }
  const { headers, callback, ...settings } = form.http as NonNullable<KindParts['http']>
  const { secret, ...paths } = callback ?? { secret: undefined }
  return {
    settings: { ...settings, ...(callback && { callback: paths }) },
    secrets: { headers, ...(secret !== undefined && { callback_secret: secret }) },
  }
}

export const sealFor = (services: Services, id: string, secrets: Record<string, unknown>): string =>
  sealSecrets(createSeal(services(signingSecret), rows.sealPurpose), id, secrets)

/** Returns the sealed secret with which late callbacks of a connection are checked. Empty if it cannot be decrypted. */
export function sealForCallbacks(services: Services, provider: rows.Provider): string {
  try {
    const { kind, secrets } = openConnection(createSeal(services(signingSecret), rows.sealPurpose), provider)
    return sealFor(services, provider.id, keepCallbackSecret(kind, secrets))
  } catch (error) {
    if (error instanceof SmsError) return ''
    throw error
  }
}

/** Throws 400 if the organisation cannot use the URL of its HTTP API. */
export async function demandProviderUrl(db: Db, orgId: string, url: string | undefined): Promise<void> {
  if (url === undefined) return
  const issue = findUrlFault(url, { local: hasLocalOrg && (await isLocalOrg(db, orgId)) })
  if (issue !== undefined) throw badRequest([{ field: 'body.http.url', issue }])
}
