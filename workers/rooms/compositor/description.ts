import { decoderPrefix } from './decoders.ts'
import type { CompositorShape } from './messages.ts'

/** Time in milliseconds that packets wait for missing earlier packets. */
const jitterMs = 100

/** Time in nanoseconds that the output waits for a late source. */
const latency = 200_000_000

/** Time in nanoseconds that the last frame stays visible. After that, the tile is empty. */
const standing = 1_500_000_000

/** Number of bits per pixel: 2.5 Mb/s for 720p at 30 frames per second. */
const bitsPerPixel = 0.09

/**
 * Maximum height in lines for which one encoder thread is used. One thread is fast enough, and more threads cost more
 * than they save.
 */
const oneThreadLines = 720

/** Duration in nanoseconds of mixed audio blocks. It is the same as that of an Opus packet. */
const mixed = 20_000_000

const keyFrameSeconds = 2

const raw = 'audio/x-raw,rate=48000,channels=2,format=S16LE,layout=interleaved'
const rtp = (media: string, encoding: string, type: number, clock: number) =>
  `application/x-rtp,media=${media},encoding-name=${encoding},payload=${type},clock-rate=${clock}`

const payloadTypes = { audio: 111, video: 96 } as const

const chain = (...elements: string[]): string => elements.join(' ! ')

/**
 * Returns the complete pipeline, which does not change while participants join and leave. Every slot has its receivers
 * from the start. Elements that are added later would join clocks and segments late, which is audible and visible.
 */
export function describePipeline({ slots, width, height, frameRate, output }: CompositorShape): string {
  const numbers = Array.from({ length: slots }, (_, i) => i)
  const names = numbers.map(
    (i) =>
      `textoverlay name=name${i} silent=true wait-text=false auto-resize=false wrap-mode=none shaded-background=true ` +
      `halignment=left valignment=top line-alignment=left font-desc="DejaVu Sans ${Math.round(height / 40)}px"`,
  )
  const slate =
    'textoverlay name=slate wait-text=false auto-resize=false wrap-mode=wordchar halignment=center valignment=center ' +
    `line-alignment=center font-desc="DejaVu Sans ${Math.round(height / 12)}px"`
  const kilobits = Math.round((width * height * frameRate * bitsPerPixel) / 1000)
  const picture = chain(
    `compositor name=pictures background=black latency=${latency} ${numbers
      .map(
        (i) =>
          `sink_${i}::alpha=0 sink_${i}::sizing-policy=keep-aspect-ratio sink_${i}::max-last-buffer-repeat=${standing}`,
      )
      .join(' ')} sink_${slots}::zorder=0`,
    `video/x-raw,format=I420,width=${width},height=${height},framerate=${frameRate}/1`,
    // At about one in eight starts, the first frames have the time 0 (measured, 1.22). Muxers then fail or leave a gap.
    'videorate',
    ...names,
    slate,
    'queue',
    `x264enc tune=zerolatency speed-preset=superfast threads=${height > oneThreadLines ? 0 : 1} bitrate=${kilobits} ` +
      `key-int-max=${keyFrameSeconds * frameRate}`,
    'video/x-h264,profile=main,stream-format=avc',
    'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0',
    'muxer.',
  )
  const sound = chain(
    `audiomixer name=sounds latency=${latency} output-buffer-duration=${mixed}`,
    raw,
    'audioconvert',
    'avenc_aac aac-coder=fast bitrate=128000',
    'aacparse',
    'queue max-size-time=3000000000 max-size-bytes=0 max-size-buffers=0',
    'muxer.',
  )
  // Output while nobody publishes: a corner of the black background.
  const black = `videotestsrc is-live=true pattern=black ! video/x-raw,format=I420,width=16,height=16,framerate=${frameRate}/1 ! pictures.sink_${slots}`
  const silence = `audiotestsrc is-live=true wave=silence ! ${raw} ! sounds.`
  const file = 'fdsink name=out fd=3 sync=false'
  const muxer =
    output === 'mp4'
      ? `mp4mux name=muxer fragment-duration=1000 streamable=true latency=500000000 ! ${file}`
      : `flvmux name=muxer streamable=true latency=500000000 ! ${output === 'flv' ? file : 'rtmp2sink name=out async-connect=true sync=false'}`
  return [picture, sound, black, silence, muxer, ...numbers.flatMap((i) => [video(i), audio(i)])].join('\n')
}

const video = (i: number): string =>
  chain(
    `udpsrc name=video${i} address=127.0.0.1 port=0 caps="${rtp('video', 'VP8', payloadTypes.video, 90_000)}"`,
    `rtpjitterbuffer name=${decoderPrefix}${i} latency=${jitterMs} drop-on-latency=true`,
    'rtpvp8depay',
    'vp8dec threads=1',
    'queue leaky=downstream max-size-buffers=5',
    `pictures.sink_${i}`,
  )

// Without the exact format after the resampler, audio stops if a slot never received data (measured).
const audio = (i: number): string =>
  chain(
    `udpsrc name=audio${i} address=127.0.0.1 port=0 caps="${rtp('audio', 'OPUS', payloadTypes.audio, 48_000)}"`,
    `rtpjitterbuffer latency=${jitterMs}`,
    'rtpopusdepay',
    'opusdec',
    'audioconvert',
    'audioresample',
    raw,
    'queue',
    'sounds.',
  )
