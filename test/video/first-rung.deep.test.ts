import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { mint } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { decodeErrors, frameCounts, readStreams } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const at = (name: string) => join(stack.data, name)

/** For a machine that has much else to do. */
const slow = { timeout: 60_000 }

const Chunk = z.object({ rungs: z.string(), number: z.number(), priority: z.number() })
/** The chunks of an asset that wait or run, in the order in which they are taken. */
const chunksOf = (assetId: string) =>
  stack.db.any(sql.type(Chunk)`
    select job.payload #>> '{payload,rungs}' as rungs, (job.payload #>> '{payload,number}')::integer as number, job.priority
    from jobs.runs as run join jobs_media._private_jobs as job on job.id = run.job_id
    where run.subject = ${assetId} and run.task = 'video/encode-chunk' order by job.priority, job.run_at, job.id`)

const cast = (name: string, seconds: number) =>
  film(at(name), numbered('10', seconds, '480:480'), { codec: ['-c:v', 'mpeg2video', '-q:v', '8'] })

let long = ''

t.test('what no browser plays has its smallest rendition made first, a short film before a long one', async (t) => {
  long = await stack.send(await cast('long.mkv', 26))
  const short = await stack.send(await cast('short.mkv', 19))
  const intake = await stack.startWorkers({}, 'core,media-intake')
  const [ofLong, ofShort] = await until(async () => {
    const waiting = await Promise.all([long, short].map(chunksOf))
    return waiting.every(({ length }) => length === 4) && waiting
  }, slow)
  for (const chunks of [ofLong, ofShort])
    t.strictSame(
      chunks?.map(({ rungs, number }) => `${rungs} ${number}`),
      ['lowest 0', 'lowest 1', 'others 0', 'others 1'],
    )
  const within = (chunks = [] as readonly z.infer<typeof Chunk>[]) => chunks.map(({ priority }) => priority % 1000)
  t.ok(
    within(ofShort).every((priority, i) => priority < (within(ofLong)[i] ?? 0)),
    `${within(ofShort)} before ${within(ofLong)}`,
  )
  await stack.ask(`DELETE /v1/stream/assets/${short}`)
  await intake.stop()
})

t.test('it is playable by that while the others wait, and that is not made again', async (t) => {
  // In ffmpeg's place: waits where the larger rendition is asked for, and notes which ones each encoding makes.
  const [tool, gate, notes] = ['tool', 'gate', 'notes'].map(at) as [string, string, string]
  const wait = `while [ -e ${gate} ]; do sleep 0.05; done`
  const note = `case "$*" in *filter_complex*) echo "$*" | grep -o '[0-9]*p_0000[0-9]' | tr '\\n' ' ' >> ${notes};; esac`
  await writeFile(tool, `#!/bin/sh\n${note}\ncase "$*" in *480p_0*) ${wait};; esac\nexec ffmpeg "$@"\n`)
  await chmod(tool, 0o755)
  await writeFile(gate, '')
  await stack.startWorkers({ FFMPEG_PATH: tool })
  await until(async () => (await stack.read(long)).playable, { ...slow, what: 'it is playable' })
  const early = await stack.read(long)
  t.match(early, { status: 'processing', encoding: true, renditions: [{ name: '360p' }, { name: 'audio' }] })
  t.ok(early.progress_percent > 10 && early.progress_percent < 90, `${early.progress_percent} % are done`)
  const { hlsUrl } = await mint(stack.api, long)
  t.strictSame(await frameCounts(hlsUrl), [260])
  t.equal(await decodeErrors(hlsUrl), '')

  await rm(gate)
  await stack.ready(long)
  const asset = await stack.read(long)
  t.ok(Date.parse(asset.playable_at) < Date.parse(asset.ready_at))
  t.match(asset.renditions, [{ name: '480p' }, { name: '360p' }, { name: 'audio' }])
  t.strictSame(await frameCounts(hlsUrl), [260, 260])
  const starts = (await readStreams(hlsUrl)).map(({ start }) => start)
  t.ok(Math.max(...starts) - Math.min(...starts) < 0.01, `all begin together: ${starts}`)
  const made = (await readFile(notes, 'utf8')).trim().split(' ').sort()
  t.strictSame(made, ['360p_00000', '360p_00001', '480p_00000', '480p_00001'])
})
