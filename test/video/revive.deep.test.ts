import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { performAction } from '#tasks/jobs/rules/actions.ts'
import { film, numbered } from '../media/sources.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { failing } from './failing.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const by = { actor: 'test' }
await stack.startWorkers({}, 'core,media-intake')
await stack.startWorkers({}, 'media')

const { runOf, fails, discarded } = failing(stack)

t.test(
  'an upload that no living worker has room for is refused at its probe, and tried again once one has',
  async (t) => {
    const source = await film(join(stack.data, 'large.mp4'), numbered('30', 2), {
      codec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p'],
    })
    const largest = (bytes: number) =>
      stack.db.query(
        sql.typeAlias('void')`update jobs.workers set scratch_bytes = ${bytes} where scratch_bytes is not null`,
      )
    t.ok((await largest(1_000)).rowCount > 0, 'workers tell of their disks')
    const assetId = await stack.send(source)
    await fails(assetId)
    t.match(await stack.read(assetId), { failure_summary: /larger than the free disk space of the servers/ })
    await discarded(assetId)
    await largest(1e12)
    const run = await runOf(assetId, 'video/probe')
    await until(async () => (await performAction(stack.db, 'retry', run, by)).changed)
    await stack.ready(assetId)
  },
)
