import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain } from '../support/mail-stack.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { receivedStack } from './received-stack.ts'

t.setTimeout(300_000)

t.test('the examples of the guide run as written', async (t) => {
  const stack = await receivedStack(t)
  await addDomain(stack.db, stack.org.id, 'dev.example')
  const sink = await startSink(t, '127.0.0.1', 0)
  await stack.startWorkers(
    {
      MAIL_HOSTNAME: 'localhost',
      MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}`,
      MAIL_SMARTHOST_DELIVERS: 'true',
    },
    'core,scan,mail-transactional,mail-campaign',
  )
  const run = {
    folder: t.testdir(),
    baseUrl: stack.url,
    apiKey: stack.key,
    replace: { 'MAIL_INBOUND_PORT=2525': `MAIL_INBOUND_PORT=${stack.port}` },
    // The records of a domain that is not ours, which name servers on the internet would be asked for.
    only: ({ code }: { code: string }) => !code.includes('/domains/example.com/verify'),
  }
  const steps = await runGuide(await readGuide('ingress/email/README.md'), run)
  t.ok(steps.length > 40)
  // The guides beside it need the domain that the guide has added.
  const templates = await runGuide(await readGuide('ingress/email/TEMPLATES.md'), run)
  t.ok(templates.length > 12)
  const tracking = await runGuide(await readGuide('ingress/email/TRACKING.md'), run)
  t.match(
    tracking.flatMap(({ json }) => json ?? []),
    [{ track_clicks: true }, { group_by: 'day' }, { totals: { messages: 0 } }],
  )
  for (const subject of ['Your order 1042', 'Receipt 1042'])
    t.ok(
      await until(() => sink.mails.some(({ raw }) => raw.includes(`Subject: ${subject}\r\n`)), { what: subject }),
      subject,
    )
  await until(
    () => sink.mails.some(({ to, raw }) => to === 'ann@rcpt.example' && raw.includes('Subject: Your order 1043\r\n')),
    { what: 'order 1043' },
  )
  const invoices = () => sink.mails.filter(({ raw }) => raw.includes('Your invoice is due'))
  const invoice = await until(() => invoices().length >= 3 && invoices(), { what: 'the invoice and its copies' })
  t.same(invoice.map(({ to }) => to).sort(), ['ann@rcpt.example', 'bob@rcpt.example', 'books@rcpt.example'])
  t.notMatch(invoice.map(({ raw }) => raw.toString()).join(), 'Bcc:')
  const campaign = await sink.mailTo('me@rcpt.example')
  t.match(campaign.raw.toString(), /^Subject: \[Test\] News for Ann Lee\r$/m)
  const batch = steps.find(({ code }) => code.includes('/messages/batch'))
  t.match(batch?.json, { accepted: 1, refused: 1, data: [{ index: 0 }, { error: { code: 'bad_request' } }] })
})

t.test('the examples for Node and Python send and read a message', async (t) => {
  const stack = await receivedStack(t)
  await addDomain(stack.db, stack.org.id, 'dev.example')
  const guide = await readGuide('ingress/email/README.md')
  for (const language of ['js', 'python']) {
    const run = { folder: t.testdir(), baseUrl: stack.url, apiKey: stack.key, languages: [language] }
    const [sent] = await runGuide(guide, { ...run, only: ({ code }) => code.includes('order-1043') })
    const [id = '', status] = sent?.out.trim().split(' ') ?? []
    t.equal(status, 'queued', language)
    const [read] = await runGuide(guide, {
      ...run,
      environment: { MESSAGE_ID: id },
      only: ({ code }) => code.includes('MESSAGE_ID'),
    })
    t.match(read?.out, 'queued', language)
  }
})
