import { writeFile } from 'node:fs/promises'
import nodemailer from 'nodemailer'
import t from 'tap'
import { z } from 'zod'
import { hashSecret, makeKey } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { markMoved } from '#sql/account/move/moved.ts'
import { sql } from '#sql/db.ts'
import { email } from '../../ingress/email/index.ts'
import { listenSubmission } from '../../ingress/email/submission/listener.ts'
import { type TestCell, testCells } from '../support/cells.ts'
import { testOrg } from '../support/ingress.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { until } from '../support/until.ts'
import { verified } from './sending.ts'

const { a, b } = await testCells(t, ['a', 'b'], () => [email], { timeoutMs: 3_000 })
const { caFile, key } = await makeCertificate(t)
await writeFile(`${caFile}.key`, key)
const server = await listenSubmission(a.app, {
  host: '127.0.0.1',
  port: 0,
  variable: 'MAIL_SUBMISSION_PORT',
  isImplicit: false,
  files: { cert: caFile, key: `${caFile}.key` },
})
t.teardown(() => server.close(0))

/** An organisation of a cell, with a verified domain. Its key names the cell, or was created before there were cells. */
async function orgOf({ db }: TestCell, domain: string, secret: string) {
  const { org } = await testOrg(db, [], { keys: {} })
  await keys.create(db, { orgId: org.id, prefix: 'snd_live_', name: 'k', scopes: ['email:send'], secret })
  await verified(db, org.id, domain)
  return { id: org.id, key: secret, domain }
}

interface Sent {
  responseCode?: number
  response: string
}

const send = async ({ key, domain }: { key: string; domain: string }, more: object = {}): Promise<Sent> =>
  await nodemailer
    .createTransport({
      host: '127.0.0.1',
      port: server.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'x', pass: key },
    })
    .sendMail({ from: `orders@${domain}`, to: 'ann@rcpt.example', subject: 'Hi', text: 'x', ...more })
    .catch((error: Sent) => error)
const countIn = ({ db }: TestCell, orgId: string) =>
  db.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*)::integer as n from email.messages where org_id = ${orgId}`)

const there = await orgOf(b, 'there.example', makeKey('snd_live_', 'b'))

t.test('a client of another cell submits to any cell, with files and the other cell’s rejections', async (t) => {
  const attachments = [{ filename: 'a.bin', content: Buffer.alloc(3 * 1024 * 1024, 7) }]
  t.match(await send(there, { attachments }), { response: /^250 Accepted as/ })
  t.strictSame([await countIn(a, there.id), await countIn(b, there.id)], [0, 1])
  t.match(await send(there, { from: 'a@elsewhere.example' }), { responseCode: 550, response: /verif/ })
})

t.test('while the other cell is away, a client is told to try later', async (t) => {
  for (const close of [() => b.door.shut(), async () => b.door.hold()]) {
    await close()
    t.match(await send(there), { responseCode: 454 })
    await b.door.shut()
    await b.door.open()
  }
  await until(async () => /^250/.test((await send(there)).response), { what: 'the cell is back' })
})

t.test('an organisation that moves keeps its SMTP settings', async (t) => {
  const secret = makeKey('snd_live_', '')
  const mover = await orgOf(a, 'mover.example', secret)
  t.match(await send(mover), { response: /^250/ })
  const home = await orgOf(b, 'mover.example', secret)
  await a.db.transaction((tx) =>
    markMoved(tx, { orgId: mover.id, cell: 'b', references: [{ kind: 'key', value: hashSecret(secret) }] }),
  )
  await a.db.query(sql.typeAlias('void')`delete from account.keys where org_id = ${mover.id}`)
  await until(async () => (await send(mover)) && (await countIn(b, home.id)) > 0, {
    what: 'email arrives in the new cell',
  })
  t.equal(await countIn(a, mover.id), 1)
})
