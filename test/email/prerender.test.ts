import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as templates from '#sql/email/templates.ts'
import type { MessageRequest } from '#tasks/email/rules/accept-messages.ts'
import { prerenderMessages } from '#tasks/email/rules/templates/prerender.ts'
import { type Sender, sending } from './sending.ts'

t.setTimeout(240_000)
const { db, sender } = await sending(t)
const [slow, quick] = [await sender(), await sender()]

async function add({ orgId }: Sender, alias: string, html: string): Promise<string> {
  const content = { subject: 'S', html, text: 'T', mjml: null, uses: [], variables: [], test_data: null }
  await templates.insert(db, {
    ...{ id: newId(), org_id: orgId, kind: 'email', syntax: 'liquid', name: alias, alias },
    ...content,
  })
  return alias
}

const wanted = ({ orgId, domain }: Sender, template: string): MessageRequest => ({
  message: { org_id: orgId, key_id: null, sandbox: false, stream: 'transactional' },
  content: {},
  fromDomains: undefined,
  from: { email: `a@${domain}` },
  to: 'ann@rcpt.example',
  template,
})

t.test('slow templates use up only the time of their own organisation', async (t) => {
  const burning = '{% for i in (1..40000) %}{% for j in (1..40000) %}{% endfor %}{% endfor %}'
  await add(slow, 'slow', burning)
  await add(quick, 'quick', '<p>{{ "quick" | upcase }}</p>')
  const given = [...Array.from({ length: 8 }, () => wanted(slow, 'slow')), wanted(quick, 'quick')]
  const made = await prerenderMessages(db, given, 3_000)
  t.match(made.at(-1)?.rendered, { subject: 'S', html: '<p>QUICK</p>' })
  t.match(made.at(-2)?.rendered, { faults: [{ issue: /took too long/ }] })
})
