import { createInterface } from 'node:readline'
import { Pipeline } from '../compositor/gstreamer.ts'
import type { FeederOrder, FeederReport } from './feeder-messages.ts'

/** Maximum size of a packet in bytes. Encryption and a TURN server add to it. */
const packetBytes = 1_200

/** Bit rate of Opus in bits per second. */
const audioRate = 128_000

const lookMs = 100

/** ID of `nobody` and `nogroup` in Debian. */
const nobody = 65_534

/** File descriptor of the frames. */
const input = 3

const chain = (...elements: string[]): string => elements.join(' ! ')

const sink = (port: number): string => `udpsink host=127.0.0.1 port=${port} sync=false async=false buffer-size=1048576`

/** H.264 is not encoded again. */
const video = (port: number): string =>
  chain(
    'demuxer.video_0',
    'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0',
    'h264parse',
    `rtph264pay pt=96 mtu=${packetBytes} config-interval=-1 aggregate-mode=zero-latency`,
    sink(port),
  )

/** Browsers have no AAC over WebRTC. */
const audio = (port: number): string =>
  chain(
    'demuxer.audio_0',
    'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0',
    'aacparse',
    'avdec_aac',
    'audioconvert',
    'audioresample',
    'audio/x-raw,rate=48000,channels=2',
    `opusenc bitrate=${audioRate} frame-size=20`,
    `rtpopuspay pt=111 mtu=${packetBytes}`,
    sink(port),
  )

const report = (line: FeederReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

function start({ videoPort, audioPort, asNobody }: FeederOrder): void {
  const parts = [
    `fdsrc fd=${input} blocksize=65536 ! qtdemux name=demuxer`,
    video(videoPort),
    ...(audioPort === undefined ? [] : [audio(audioPort)]),
  ]
  const pipeline = new Pipeline(parts.join('\n'))
  // Permissions are dropped after the plugins are loaded.
  if (asNobody) {
    process.setgroups?.([])
    process.setgid?.(nobody)
    process.setuid?.(nobody)
  }
  pipeline.play()
  report({ type: 'ready' })
  setInterval(() => {
    const over = pipeline.poll()
    if (!over) return
    pipeline.stop()
    report({ type: 'ended', error: over.error })
    process.exit()
  }, lookMs)
}

createInterface(process.stdin)
  .on('line', (line) => start(JSON.parse(line)))
  .on('close', () => process.exit())
