import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sourceKey } from '#sql/video/uploads.ts'
import { liveStack } from '../support/live-stack.ts'
import { publishFile } from '../support/rtmp-publisher.ts'
import { recorded } from './on-air.ts'
import { shown } from './shown.ts'

const execute = promisify(execFile)
const stack = await liveStack(t)
const { rtmp } = stack
const seconds = 6
const [path] = await Promise.all([recorded(join(stack.data, 'leaps.flv'), seconds), stack.startLive()])
const leaping = await stack.makeChannel({ visibility: 'unlisted' })

const start = 100_000
/** Goes back by 8 s after 2 s, and forward by 29 h after 4 s. */
const clock = (time: number) => start + time - (time < 2_000 ? 0 : 8_000) + (time < 4_000 ? 0 : 29 * 3_600_000)
const leapt = publishFile(rtmp(leaping.primary), path, clock)

t.test('a clock that leaps begins a discontinuity, and the recording is as long as what arrived', async (t) => {
  const viewer = shown(stack, leaping)
  await leaping.state('live')
  await leapt
  const playlist = await viewer.playlist()
  t.equal(playlist?.segments.filter(({ discontinuity }) => discontinuity).length, 2)
  t.same(
    playlist?.segments.filter(({ gap }) => gap),
    [],
    'nothing is lost',
  )
  const listed = playlist?.segments.reduce((sum, { duration }) => sum + duration, 0) ?? 0
  t.ok(listed > seconds - 1.5 && listed < seconds + 0.5, `${listed} s are listed`)
  const { assetId } = await leaping.recorded()
  t.equal(await stack.frames(assetId), seconds * 30)
  const url = await stack.store.storage.signGet(sourceKey(assetId), 60)
  const { stdout } = await execute('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration',
    '-of',
    'csv=p=0',
    url,
  ])
  t.ok(Math.abs(Number(stdout) - seconds) < 0.3, `${stdout.trim()} s are recorded`)
})
