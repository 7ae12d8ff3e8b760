import '../support/webhooks-environment.ts'
import t from 'tap'
import { filesStack } from '../support/files-stack.ts'
import { readGuide } from '../support/guide.ts'
import { testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'
import { storeKeys } from '../support/video-stack.ts'

t.test('the examples of the guide to files run with real values', async (t) => {
  const { base, clamd } = await filesStack(t, { areas: ['account'] })
  const scopes = ['files:read', 'files:write', 'account:webhooks']
  const { keys } = await testOrg(base.db, scopes, { plan: 'unlimited' })
  const outbound = { OUTBOUND_ALLOWED: '127.0.0.1' }
  await base.startWorkers({ CLAMD_SOCKET: clamd.socket, ...outbound }, 'core,scan,images,media-intake,web')
  await base.store.storage.put('inbox/letter.txt', Buffer.from('Dear Ada, thank you for your letter.\n'), {
    contentType: 'text/plain',
  })
  const guide = await readGuide('ingress/files/README.md')
  const replace = {
    'https://s3.eu-central-1.amazonaws.com': base.store.url,
    AKIAIOSFODNN7EXAMPLE: storeKeys.accessKey,
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY': storeKeys.secretKey,
    'customer-uploads': storeKeys.bucket,
    'eu-central-1': storeKeys.region,
  }
  const run = { replace, folder: base.data, baseUrl: base.ingress.url, apiKey: keys.main }
  const steps = await runGuide(guide, { ...run, languages: ['sh', 'js', 'python'], oneOfEach: true })
  t.equal(steps.find(({ code }) => code.includes('"$DOWNLOAD_URL"'))?.out, 'Dear Ada, thank you for your letter.\n')
  t.ok(steps.filter(({ json }) => json !== undefined).length > 10)
  const delivery = await runGuide(await readGuide('ingress/files/DELIVERY.md'), run)
  t.match(delivery.find(({ code }) => code.includes('-o /tmp/loaded.png'))?.out, /^HTTP\/1\.1 200 OK/)
  t.ok(delivery.length > 8)
  const images = await runGuide(await readGuide('ingress/files/IMAGES.md'), run)
  t.match(images.find(({ code }) => code.includes('-o /tmp/small.avif'))?.out, /content-type: image\/avif/i)
  t.ok(images.length > 8)
})
