import { createInterface } from 'node:readline'
import { Pipeline } from '../compositor/gstreamer.ts'
import type { CopierOrder, CopierReport } from './copier-messages.ts'

/** Time in milliseconds that packets wait for missing earlier packets. */
const jitterMs = 60

/** Time in nanoseconds that one track waits for the other. */
const muxLatency = 300_000_000

const [lookMs, finishMs] = [100, 2_000]

/** ID of `nobody` and `nogroup` in Debian. */
const nobody = 65_534

const chain = (...elements: string[]): string => elements.join(' ! ')

const source = (name: string, facts: string): string =>
  `udpsrc name=${name} address=127.0.0.1 port=0 buffer-size=1048576 caps="application/x-rtp,${facts}"`

const video = chain(
  source('video', 'media=video,encoding-name=H264,payload=96,clock-rate=90000'),
  `rtpjitterbuffer latency=${jitterMs}`,
  'rtph264depay wait-for-keyframe=true',
  'h264parse config-interval=-1',
  'video/x-h264,stream-format=avc,alignment=au',
  'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0',
  'muxer.',
)
const audio = chain(
  source('audio', 'media=audio,encoding-name=OPUS,payload=111,clock-rate=48000'),
  `rtpjitterbuffer latency=${jitterMs}`,
  'rtpopusdepay',
  'opusdec',
  'audioconvert',
  'audioresample',
  'audio/x-raw,rate=48000,channels=2,layout=interleaved',
  'avenc_aac bitrate=128000',
  'aacparse',
  'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0',
  'muxer.',
)
const output = `flvmux name=muxer streamable=true latency=${muxLatency} ! rtmp2sink name=out async-connect=true sync=false`

const report = (line: CopierReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

function start({
  rtmp,
  audio: hasAudio,
  video: hasVideo,
  asNobody,
}: Extract<CopierOrder, { type: 'start' }>): () => void {
  const pipeline = new Pipeline([...(hasVideo ? [video] : []), ...(hasAudio ? [audio] : []), output].join('\n'))
  pipeline.setText('out', 'location', rtmp)
  // Permissions are dropped after the plugins are loaded.
  if (asNobody) {
    process.setgroups?.([])
    process.setgid?.(nobody)
    process.setuid?.(nobody)
  }
  pipeline.play()
  report({
    type: 'ready',
    videoPort: hasVideo ? pipeline.getNumber('video', 'port') : undefined,
    audioPort: hasAudio ? pipeline.getNumber('audio', 'port') : undefined,
  })
  let last = 0n
  const end = (error?: string): never => {
    pipeline.stop()
    report({ type: 'ended', error })
    process.exit()
  }
  setInterval(() => {
    const over = pipeline.poll()
    if (over) end(over.error)
    const position = pipeline.position('out') ?? 0n
    if (position > last) report({ type: 'running', seconds: Number(position) / 1e9 })
    last = position
  }, lookMs)
  return () => {
    pipeline.finish()
    setTimeout(end, finishMs)
  }
}

let finish: (() => void) | undefined
createInterface(process.stdin)
  .on('line', (line) => {
    const order: CopierOrder = JSON.parse(line)
    if (order.type === 'start') finish = start(order)
    else finish?.()
  })
  .on('close', () => process.exit())
