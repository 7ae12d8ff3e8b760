import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { HeaderFacts } from '#tasks/email/engine.ts'
import { createMailEngine } from '../../workers/mail/engine.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)

const folder = await mkdtemp(join(tmpdir(), 'millrace-spam-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

/** Nobody's preferences. */
const preferences = join(folder, 'user_prefs')
await writeFile(preferences, '')

/**
 * Rules that ask DNS, other servers or what was learnt: here they have nobody to ask, and say nothing of a mail's structure. Neither does
 * FORGED_SENDER: that the envelope's sender is not From is how bounces come back, and DKIM and DMARC speak for both.
 */
const ofTheNetwork =
  /^(?:T_)?(?:DKIM|SPF|DMARC|ARC|R_SPF|R_DKIM|RCVD|NO_RELAYS|NO_RECEIVED|ALL_TRUSTED|RBL|URIBL|SURBL|DBL|BAYES|AUTH_NA|FORGED_SENDER|RDNS|ONCE_RECEIVED|MAILSPIKE|ASN|MX_|HFILTER|FUZZY|NEURAL|RSPAMD_)/

type Rules = Map<string, number>

const structural = (rules: Rules): Rules => new Map([...rules].filter(([name]) => !ofTheNetwork.test(name)))
const sum = (rules: Rules) => [...rules.values()].reduce((total, score) => total + score, 0)

const engine = createMailEngine()
t.teardown(() => engine.close())

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A message as it would leave. */
async function letter(subject: string, html: string, facts: HeaderFacts): Promise<Buffer> {
  const body = await engine.makeBody({ org_id: newId(), html, text: null, attachments: [] })
  const id = newId()
  const { bytes } = await engine.compose(
    {
      envelope: { from: `b+x@bounce.example.com`, to: 'ann@example.org', envelopeId: id },
      message: {
        from_email: 'orders@example.com',
        from_name: 'The Shop',
        to_email: 'ann@example.org',
        subject,
        message_id: `${id}@example.com`,
        created_at: new Date(),
      },
      content: { reply_to: null, headers: {} },
      signer: { domain: 'example.com', keys: [{ selector: 's1', algorithm: 'rsa-sha256', key: privateKey }] },
      ...facts,
    },
    body,
  )
  return bytes
}

const page = (text: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The Shop</title></head><body>${text}</body></html>`

const transactional = await letter(
  'Your order 1042 is on its way',
  page(`<h1>Thank you, Ann</h1><p>Your order 1042 left our house this morning. It comes on Friday, between 9 and 12.</p>
<p>You can follow it at <a href="https://example.com/orders/1042">your page of the order</a>.</p><p>Kind regards, the Shop</p>`),
  { feedbackId: 'o:transactional:shop', unsubscribe: undefined },
)
const campaign = await letter(
  'What is new in December',
  page(`<h1>New in December</h1><p>Hello Ann, this month we have three new kinds of tea from small gardens, and a pot that keeps them warm.</p>
<p><a href="https://example.com/new">See what is new</a></p><p>You get this as you asked for our letter.
<a href="https://example.net/send/v1/unsubscribe/token">Unsubscribe</a></p><p>The Shop, 1 High Street, Springfield</p>`),
  {
    feedbackId: 'c:o:subscribed:shop',
    unsubscribe: { url: 'https://example.net/send/v1/unsubscribe/token', address: 'u+x@bounce.example.com' },
  },
)

/** As a server has it that took it from ours. */
const arrived = (mail: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `Return-Path: <b+x@bounce.example.com>\r\nReceived: from mta1.example.net (mta1.example.net [192.0.2.10])\r\n by mx.example.org with ESMTPS id 4F1; ${new Date().toUTCString().replace('GMT', '+0000')}\r\n`,
    ),
    mail,
  ])

async function spamAssassin(mail: Buffer): Promise<Rules> {
  const report = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      'spamassassin',
      ['-L', '-t', '-p', preferences],
      { env: { PATH: '/usr/bin:/bin', HOME: folder }, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) => (stdout ? resolve(stdout) : reject(error ?? new Error(stderr))),
    )
    child.stdin?.end(mail)
  })
  const found = [...report.matchAll(/^ ?(-?\d+\.\d+) ([A-Z][A-Z0-9_]+) /gm)]
  return new Map(found.map(([, score, name]) => [name as string, Number(score)]))
}

const Checked = z.object({ symbols: z.record(z.string(), z.object({ score: z.number() })) })

/** Starts rspamd with Debian's rules, no DNS and no learning. */
async function startRspamd(): Promise<(mail: Buffer) => Promise<Rules>> {
  const port = await freePort()
  const local = join(folder, 'local.d')
  await mkdir(local)
  const files: Record<string, string> = {
    'worker-normal.inc': `bind_socket = "127.0.0.1:${port}"; count = 1;`,
    'worker-controller.inc': `bind_socket = "127.0.0.1:${await freePort()}";`,
    'worker-proxy.inc': 'enabled = false;',
    'worker-fuzzy.inc': 'enabled = false;',
    'options.inc': `dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 1; } pidfile = "${folder}/rspamd.pid";`,
    'logging.inc': `type = "file"; filename = "${folder}/rspamd.log"; level = "error";`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(local, name), text)
  const variables = ['DBDIR', 'RUNDIR', 'LOGDIR', 'LOCAL_CONFDIR'].map((name) => `--var=${name}=${folder}`)
  const child = spawn('rspamd', ['-f', '-i', '-c', '/etc/rspamd/rspamd.conf', ...variables], { stdio: 'ignore' })
  t.teardown(() => void child.kill('SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/ping`)).ok, { what: 'rspamd answers', timeout: 60_000 })
  return async (mail) => {
    const headers = {
      ip: '192.0.2.10',
      helo: 'mta1.example.net',
      from: 'b+x@bounce.example.com',
      rcpt: 'ann@example.org',
    }
    const reply = await fetch(`${url}/checkv2`, { method: 'POST', headers, body: new Uint8Array(mail) })
    const { symbols } = Checked.parse(await reply.json())
    return new Map(Object.entries(symbols).map(([name, { score }]) => [name, score]))
  }
}

const rspamd = await startRspamd()
const judges = { SpamAssassin: spamAssassin, rspamd }

for (const [name, judge] of Object.entries(judges)) {
  t.test(`${name} finds nothing in the structure of a plain transactional mail`, async (t) => {
    const rules = structural(await judge(arrived(transactional)))
    t.comment(Object.fromEntries(rules))
    t.ok(sum(rules) <= 0, `${sum(rules)}`)
  })

  t.test(`${name} has no rule of more than half a point against the structure of a campaign`, async (t) => {
    const rules = structural(await judge(arrived(campaign)))
    t.comment(Object.fromEntries(rules))
    for (const [rule, score] of rules) t.ok(score <= 0.5, `${rule}: ${score}`)
  })

  t.test(`${name} does judge: a mail without date and subject, all in capitals, is noticed`, async (t) => {
    const odd = Buffer.from('From: x@example.edu\r\nTo: ann@example.org\r\n\r\nBUY CHEAP VIAGRA NOW!!! CLICK HERE\r\n')
    t.ok(sum(structural(await judge(arrived(odd)))) > 0.5)
  })
}
