import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'
import { erpStack } from './stack.ts'

t.test('the examples of the guide find a company, its officers and the changes of an import', async (t) => {
  const stack = await erpStack(t)
  await stack.startWorker()
  const madeUp = fileURLToPath(new URL('../../ops/start/companies.csv', import.meta.url))
  await stack.imported(madeUp, 'generic', { register: 'Made-up companies', licence: 'None' })
  const { keys } = await testOrg(stack.db, ['erp:read'])
  const guide = await readGuide('ingress/erp/README.md')
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: keys.main }
  const sections = ['Quickstart', 'Read a company by its code', 'List the officers of a company', 'Follow changes']
  const steps = await runGuide(guide, { ...run, sections, languages: ['sh', 'js', 'python'] })
  const [found, inNode, inPython] = steps
  t.match(found?.json.data, [{ code: '10000000', name: 'Kestrel Energy AS' }])
  t.match([inNode?.out, inPython?.out], [/10000000 Kestrel Energy AS/, /10000000 Kestrel Energy AS/])
  t.match(steps.find(({ json }) => json?.error)?.json.error.code, 'ambiguous_code')
  t.match(steps.at(-1)?.json, { first: true, added: 120, data: [] })
})
