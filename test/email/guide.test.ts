import t from 'tap'
import { block, readGuide, runSnippet, writeFacts } from '../support/guide.ts'
import { sending, verified } from './sending.ts'

const { db, ingress, sender } = await sending(t)

t.test('the guide’s message waits with its copies and is cancelled; its batch is answered one by one', async (t) => {
  const own = await sender()
  await verified(db, own.orgId, 'dev.example')
  const folder = t.testdir()
  await writeFacts(folder, { base_url: ingress.url, keys: { send: own.key } })
  const guide = await readGuide('ingress/email/README.md')
  const [base = '', key = '', api = ''] = block(guide, 'sh', 'order-1042').split('\n')
  const said = await runSnippet(folder, [base, key, api, block(guide, 'sh', '/messages/batch')].join('\n'))
  t.match([said.code, said.err], [0, ''])
  const [later, ...rest] = said.out.split('\n')
  t.match(JSON.parse(later ?? ''), { status: 'scheduled', copies: [{ recipient: 'cc' }, { recipient: 'bcc' }] })
  const [list, cancelled, batch] = rest.join('').replaceAll('}{', '}\n{').split('\n')
  t.equal(JSON.parse(list ?? '').data.length, 3)
  t.match(JSON.parse(cancelled ?? ''), {
    status: 'cancelled',
    copies: [{ status: 'cancelled' }, { status: 'cancelled' }],
  })
  t.match(JSON.parse(batch ?? ''), {
    accepted: 1,
    refused: 1,
    data: [{ index: 0 }, { error: { code: 'bad_request' } }],
  })
})
