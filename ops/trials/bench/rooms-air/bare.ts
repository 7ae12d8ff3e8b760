import { spawn } from 'node:child_process'
import { CannotMeasureError } from '../benchmark.ts'

/** Loopback ports of a participant. */
interface Ports {
  videoPort: number
  audioPort: number
}

interface Shape {
  width: number
  height: number
  frameRate: number
}

interface BareComposite {
  pid: number
  ports: readonly Ports[]
  stop(): Promise<void>
}

const [firstPort, portsEach] = [27_300, 2]

/** As in the product. */
const bitsPerPixel = 0.09

const rtp = (media: string, encoding: string, payload: number, clock: number) =>
  `application/x-rtp,media=${media},encoding-name=${encoding},payload=${payload},clock-rate=${clock}`

const raw = 'audio/x-raw,rate=48000,channels=2,format=S16LE,layout=interleaved'

/**
 * Starts the limit: `gst-launch-1.0` with two participants next to each other, and with the encoder settings of the
 * product. It has no names, no slots for others and no checks of the media.
 */
export function startBareComposite(shape: Shape): BareComposite {
  const ports = [0, 1].map((i) => {
    const port = firstPort + portsEach * i
    return { videoPort: port, audioPort: port + 1 }
  })
  const args = describe(shape, ports).split(/\s+/)
  const child = spawn('gst-launch-1.0', ['-q', ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('error', () => {})
  const { pid } = child
  if (pid === undefined) throw new CannotMeasureError('gst-launch-1.0 is missing: apt-get install gstreamer1.0-tools')
  const exit = new Promise((resolve) => child.once('exit', resolve))
  return {
    pid,
    ports,
    async stop() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

function describe({ width, height, frameRate }: Shape, ports: readonly Ports[]): string {
  const tile = (i: number) =>
    `sink_${i}::xpos=${(i * width) / 2} sink_${i}::ypos=${height / 4} sink_${i}::width=${width / 2} sink_${i}::height=${height / 2}`
  return `
    compositor name=pictures background=black latency=200000000 ${ports.map((_, i) => tile(i)).join(' ')}
      ! video/x-raw,format=I420,width=${width},height=${height},framerate=${frameRate}/1 ! queue
      ! x264enc tune=zerolatency speed-preset=superfast threads=1 bitrate=${Math.round((width * height * frameRate * bitsPerPixel) / 1000)} key-int-max=${2 * frameRate}
      ! video/x-h264,profile=main,stream-format=avc ! queue max-size-time=3000000000 ! muxer.
    audiomixer name=sounds latency=200000000 ! ${raw} ! audioconvert ! avenc_aac bitrate=128000 ! aacparse
      ! queue max-size-time=3000000000 ! muxer.
    mp4mux name=muxer fragment-duration=1000 streamable=true latency=500000000 ! fakesink sync=false
    ${ports.map((port, i) => participant(port, i)).join(' ')}`.trim()
}

function participant({ videoPort, audioPort }: Ports, i: number): string {
  const receive = (port: number, caps: string) => `udpsrc address=127.0.0.1 port=${port} caps=${caps}`
  return `
    ${receive(videoPort, rtp('video', 'VP8', 96, 90_000))} ! rtpjitterbuffer latency=100 drop-on-latency=true
      ! rtpvp8depay ! vp8dec threads=1 ! queue leaky=downstream max-size-buffers=5 ! pictures.sink_${i}
    ${receive(audioPort, rtp('audio', 'OPUS', 111, 48_000))} ! rtpjitterbuffer latency=100
      ! rtpopusdepay ! opusdec ! audioconvert ! audioresample ! ${raw} ! queue ! sounds.`
}
