import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { addDomain } from './mail-stack.ts'

export async function markedRows(
  db: DatabasePool,
  orgId: string,
  said: (request: string, body: unknown) => Promise<object>,
  mark: string,
): Promise<object[]> {
  await addDomain(db, orgId, `${mark}.example`)
  const url = `http://127.0.0.1:9/${mark}`
  const made = [
    await said('POST /v1/account/keys', { name: mark, scopes: ['email:send'] }),
    await said('POST /v1/account/webhooks', { url: 'http://127.0.0.1:9/', types: ['*'], name: mark }),
    await said('POST /v1/account/invitations', { email: `${mark}@people.example`, role: 'viewer' }),
    await said('POST /send/v1/templates', { name: mark, subject: mark, html: mark }),
    await said('POST /send/v1/contacts', { email: `${mark}@people.example`, consent_source: 'test' }),
    await said('POST /send/v1/segments', { name: mark, conditions: [{ field: 'tag', op: 'has', value: mark }] }),
    await said('POST /send/v1/campaigns', { name: mark, subject: mark, html: mark, from_email: `a@${mark}.example` }),
    await said('POST /push/v1/apps', { name: mark }),
    await said('POST /send/v1/messages', {
      stream: 'transactional',
      from: { email: `a@${mark}.example` },
      to: `${mark}@people.example`,
      subject: mark,
      text: mark,
    }),
    await said('POST /v1/stream/uploads', { bytes: 1_000, title: mark }),
    await said('POST /v1/stream/live/channels', { name: mark }),
    await said('POST /v1/stream/rooms', { name: mark }),
    await said('POST /v1/files/uploads', {
      product_key: mark,
      tenant_id: mark,
      filename: `${mark}.txt`,
      content_type: 'text/plain',
      byte_size: 10,
    }),
    await said('POST /v1/jobs', { url, group: mark, delay: 3_600 }),
    await said('POST /v1/jobs/schedules', { name: mark, every: 86_400, job: { url } }),
    await said('POST /v1/jobs/flows', { name: mark, jobs: [{ name: mark, url, delay: 3_600 }] }),
    await said('POST /v1/hooks/apps', { name: mark, uid: mark }),
    await said('POST /v1/intake/sources', { name: mark, provider: 'github', secret: mark }),
    await said('POST /v1/automation/rules', { name: mark, event: 'email.bounced', action: { type: 'job', url } }),
  ]
  const strange = made.filter((thing) => idsOf(thing).length === 0)
  if (strange.length > 0) throw new Error(`Not all of it could be made: ${JSON.stringify(strange).slice(0, 2_000)}`)
  return made
}

export const idsOf = (thing: object): string[] =>
  Object.entries(thing).flatMap(([name, value]) =>
    /^(id|\w+(Id|_id))$/.test(name) && Id.safeParse(value).success ? [value] : [],
  )

export const wayOf = (path: string, mark: string, id: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'domain') return `${mark}.example`
    if (name === 'metric') return 'email.messages'
    return name === 'email' ? `${mark}@people.example` : id
  })
