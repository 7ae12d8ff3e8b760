import t from 'tap'
import { startBalancer } from '../support/balancer.ts'
import { ask } from '../support/ingress.ts'
import { layGround } from '../support/releases.ts'
import { startLoad } from '../support/steady-load.ts'
import { until } from '../support/until.ts'

const pools = 'core,llm,mail-transactional'

t.test('a rolling update under load costs no request, and every job is done once', async (t) => {
  const ground = await layGround(t)
  const delay = { SHUTDOWN_DELAY_MS: '120000' }
  const [old, oldWorker] = await Promise.all([ground.ingress(delay), ground.worker(pools)])
  const balancer = await startBalancer(t, old.port)
  const load = startLoad(t, balancer.url, ground.keys)
  const more = async () => {
    const enough = load.count() + 60
    await until(() => load.count() >= enough, { what: 'the load goes on', timeout: 120_000 })
  }
  await more()
  const [next, nextWorker] = await Promise.all([ground.ingress(delay), ground.worker(pools)])
  await balancer.sendTo(old.port, next.port)

  const readiness = (port: number) => ask(`http://127.0.0.1:${port}`, 'GET /readyz')
  const balanced = Promise.withResolvers<void>()
  const [ended, workerEnded] = [old.end(balanced.promise), oldWorker.end()]
  // As a balancer learns it, while the old one goes on taking what comes.
  const told = await until(async () => {
    const reply = await readiness(old.port)
    return reply.status === 503 && reply.body.error.details.intake === 'away' && reply
  })
  t.equal(told.headers.get('connection'), 'close')
  t.equal((await ask(`http://127.0.0.1:${old.port}`, 'GET /healthz')).status, 200, 'it lives: nobody shall kill it')
  await balancer.sendTo(next.port)
  balanced.resolve()
  t.equal(await ended, 0)
  t.equal(await workerEnded, 0)
  await more()
  await load.stop()

  t.same(load.failures, [])
  t.ok((load.served.get(`127.0.0.1:${old.port}`) ?? 0) > 0)
  t.ok((load.served.get(`127.0.0.1:${next.port}`) ?? 0) > 0)
  const { sink } = ground
  await until(() => sink.mails.length >= load.accepted.length, { what: 'all mail arrives', timeout: 120_000 })
  t.same(sink.mails.map(({ to }) => to).sort(), [...load.accepted].sort(), 'each once')
  t.equal(await nextWorker.end(), 0)
})
