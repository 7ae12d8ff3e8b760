import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import { type Content, insertMany as insertContents } from '#sql/email/contents.ts'
import { list as listAttempts } from '#sql/email/delivery/attempts.ts'
import { table as domainTable, keyAbout, keyTable, sealPurpose } from '#sql/email/domains.ts'
import * as messages from '#sql/email/messages.ts'
import { wake } from '#sql/jobs/actions.ts'
import { jobsTable } from '#sql/jobs/graphile-schema.ts'
import { addDeliveries } from '#tasks/email/rules/add-deliveries.ts'
import { poolSchema } from '#tasks/pools.ts'
import { testDatabase } from './database.ts'
import { testOrg } from './ingress.ts'
import type { Scope } from './postgres.ts'
import { until } from './until.ts'
import { signingSecret, startWorkers, type Workers } from './video-stack.ts'

/** Options of a test’s message. */
export interface Outgoing extends Partial<Pick<Content, 'html' | 'text' | 'headers' | 'reply_to' | 'attachments'>> {
  to: string
  stream?: messages.Stream
  subject?: string
  from_name?: string
}

export interface DomainKeys {
  rsa: KeyObject
  /** In base64, as in p=. */
  ed25519: string
  records: string
}

/** A database with an organisation and its verified domain, and workers when they are started. */
export interface MailStack {
  db: DatabasePool
  orgId: string
  domainId: string
  keys: DomainKeys
  /** Stores messages and starts their delivery in one transaction. Returns their IDs. */
  send(...wanted: Outgoing[]): Promise<string[]>
  /** Sends from another organisation on the same plan. */
  sendFromAnother(...wanted: Outgoing[]): Promise<string[]>
  startWorkers(environment: Record<string, string>, pools?: string): Promise<Workers>
  read(id: string): Promise<messages.Message>
  attempts(id: string): ReturnType<typeof listAttempts>
  /** Waits until a message has one of these statuses and its deferral is stored. */
  becomes(id: string, ...statuses: messages.Status[]): Promise<messages.Message>
  /** Makes all waiting messages due and wakes delivery, when no turn can still set a later time. */
  hurry(): Promise<void>
}

/** Starts everything except the workers, until the test ends. */
export async function mailStack(
  t: Scope,
  domain = 'sender.example',
  database?: { url: string; db: DatabasePool },
): Promise<MailStack> {
  const data = await mkdtemp(join(tmpdir(), 'millrace-mail-'))
  t.teardown(() => rm(data, { recursive: true, force: true }))
  const { url: databaseUrl, db } = database ?? (await testDatabase(t))
  const { org } = await testOrg(db)
  const { domainId, keys } = await addDomain(db, org.id, domain)
  const read = async (id: string) =>
    await db.one(sql.type(messages.Message)`select ${messages.table.columns()} from email.messages where id = ${id}`)
  return {
    db,
    orgId: org.id,
    domainId,
    keys,
    send: (...wanted) => send(db, { orgId: org.id, domainId, domain }, wanted),
    async sendFromAnother(...wanted) {
      const { org: other } = await testOrg(db)
      const added = await addDomain(db, other.id, domain)
      return await send(db, { orgId: other.id, domainId: added.domainId, domain }, wanted)
    },
    startWorkers: (environment, pools = 'mail-transactional,mail-campaign') =>
      startWorkers(t, {
        databaseUrl,
        store: { url: 'http://127.0.0.1:9' },
        data,
        environment: { MAIL_HOSTNAME: 'mail.platform.example', PUBLIC_URL: 'https://platform.example', ...environment },
        pools,
        under: [],
      }),
    read,
    attempts: (id) => listAttempts(db, org.id, id),
    async becomes(id, ...statuses) {
      return await until(
        async () => {
          const message = await read(id)
          return statuses.includes(message.status) && message
        },
        { what: `the message is ${statuses.join(' or ')}` },
      )
    },
    async hurry() {
      const open = () => db.oneFirst(sql.typeAlias('count')`select count(*) from email.connections`)
      await until(async () => (await open()) === 0, { what: 'all turns are over' })
      await db.query(sql.typeAlias('void')`update email.mx_sets set suspended_until = null, level = 0`)
      await db.query(sql.typeAlias('void')`update email.deliveries set due_at = now()`)
      for (const pool of ['mail-transactional', 'mail-campaign'] as const) {
        const queue = { pool, schema: poolSchema(pool) }
        await db.query(sql.typeAlias('void')`update ${jobsTable(queue)} set run_at = now() where locked_at is null`)
        await wake(db, queue, 100)
      }
    },
  }
}

interface Owner {
  orgId: string
  domainId: string
  domain: string
}

async function send(db: DatabasePool, owner: Owner, wanted: readonly Outgoing[]): Promise<string[]> {
  const rows = wanted.map((each) => rowsOf(owner.orgId, owner.domainId, owner.domain, each))
  await db.transaction(async (tx) => {
    for (const { message } of rows) await addRecipient(tx, message)
    await insertContents(
      tx,
      rows.map(({ content }) => content),
    )
    await messages.insertMany(
      tx,
      rows.map(({ message }) => message),
    )
    await addDeliveries(
      tx,
      rows.map(({ message: { id, stream, to_email } }) => ({
        messageId: id,
        orgId: owner.orgId,
        stream,
        toDomain: to_email.split('@')[1] as string,
      })),
    )
  })
  return rows.map(({ message }) => message.id)
}

/** Marketing is sent only to contacts. */
async function addRecipient(tx: Db, { org_id, to_email, stream }: messages.NewMessage): Promise<void> {
  if (stream === 'transactional' || stream === 'security') return
  const status = stream === 'subscribed' ? 'confirmed' : 'unconfirmed'
  await tx.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status) values (${newId()}, ${org_id}, ${to_email}, ${status})
    on conflict do nothing`)
}

/** Verified by an operator, with one key of each kind. */
export async function addDomain(db: DatabasePool, orgId: string, domain: string) {
  const seal = createSeal(signingSecret, sealPurpose)
  const domainId = newId()
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ed = generateKeyPairSync('ed25519')
  const spki = rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const ed25519 = ed.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  await db.query(
    sql.typeAlias('void')`${domainTable.insert({
      id: domainId,
      org_id: orgId,
      domain,
      return_path: `bounce.${domain}`,
      status: 'verified',
      verified_by: 'operator',
    })}`,
  )
  for (const [selector, algorithm, key, public_key] of [
    ['rsa', 'rsa-sha256', rsa.privateKey, spki],
    ['ed', 'ed25519-sha256', ed.privateKey, ed25519],
  ] as const) {
    const id = newId()
    const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string
    await db.query(
      sql.typeAlias('void')`${keyTable.insert({
        id,
        org_id: orgId,
        domain_id: domainId,
        selector,
        algorithm,
        private_key: seal.close(pem, keyAbout(id)),
        public_key,
        published: true,
      })}`,
    )
  }
  const chunks = (spki.match(/.{1,250}/g) ?? []).map((chunk) => `"${chunk}"`).join(' ')
  const records = [
    `rsa._domainkey IN TXT "v=DKIM1; k=rsa; p=" ${chunks}`,
    `ed._domainkey IN TXT "v=DKIM1; k=ed25519; p=${ed25519}"`,
  ].join('\n')
  return { domainId, keys: { rsa: rsa.publicKey, ed25519, records } }
}

function rowsOf(orgId: string, domainId: string, domain: string, wanted: Outgoing) {
  const content = {
    id: newId(),
    org_id: orgId,
    html: wanted.html ?? null,
    text: wanted.text ?? 'A text.\n',
    reply_to: wanted.reply_to ?? null,
    headers: wanted.headers ?? {},
    attachments: wanted.attachments ?? [],
  }
  if (wanted.html && wanted.text === undefined) content.text = null as never
  const id = newId()
  const message = {
    id,
    org_id: orgId,
    key_id: null,
    sandbox: false,
    stream: wanted.stream ?? ('transactional' as const),
    domain_id: domainId,
    from_email: `hello@${domain}`,
    from_name: wanted.from_name ?? null,
    to_email: wanted.to,
    subject: wanted.subject ?? 'A subject',
    content_id: content.id,
    campaign_id: null,
    contact_id: null,
    template_id: null,
    message_id: `${id}@${domain}`,
    status: 'queued' as const,
    reason: null,
  }
  return { content, message }
}
