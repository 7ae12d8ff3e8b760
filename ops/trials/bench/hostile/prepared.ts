import { createHmac } from 'node:crypto'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { sealSecret } from '#tasks/whatsapp/rules/own-number.ts'
import type { Input } from './inputs.ts'

/** Number of templates of the maximum size, and how often each uses its variable. */
const [templates, placeholders] = [100, 200_000]

const bodyBytes = 4 * 2 ** 20

/**
 * Creates the data that some expensive inputs need, and returns these inputs. `post` sends a request as their
 * organisation.
 */
export async function prepareInputs(
  db: DatabasePool,
  { secret, orgId, post }: { secret: string; orgId: string; post(path: string, body: unknown): Promise<unknown> },
): Promise<Input[]> {
  const html = '{{a}}'.repeat(placeholders)
  for (let i = 0; i < templates; i++) await post('/send/v1/templates', { name: `Costly ${i}`, subject: 'Costly', html })
  return [
    {
      name: `a list of ${templates} templates of 1 MB`,
      request: { method: 'GET', path: '/send/v1/templates?limit=100' },
    },
    await emptyMessages(db, secret, orgId),
  ]
}

async function emptyMessages(db: DatabasePool, secret: string, orgId: string): Promise<Input> {
  const id = newId()
  const [appSecret, phone] = ['the secret of an app', '15550000000']
  const seal = createSeal(secret, numbers.sealPurpose)
  await numbers.insert(db, {
    id,
    org_id: orgId,
    phone_number_id: phone,
    account_id: 'account',
    access_token: sealSecret(seal, id, 'access_token', 'none'),
    app_secret: sealSecret(seal, id, 'app_secret', appSecret),
    verify_token: sealSecret(seal, id, 'verify_token', 'none'),
  })
  const frame = (messages: string) =>
    `{"object":"whatsapp_business_account","entry":[{"id":"account","changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"${phone}"},"messages":[${messages}]}}]}]}`
  const body = frame('{},'.repeat(Math.floor((bodyBytes - 300) / 3)).slice(0, -1))
  const signature = createHmac('sha256', appSecret).update(body).digest('hex')
  const headers = { 'x-hub-signature-256': `sha256=${signature}` }
  return { name: 'a webhook of 4 MB of empty messages', request: { path: `/v1/whatsapp/webhook/${id}`, headers, body } }
}
