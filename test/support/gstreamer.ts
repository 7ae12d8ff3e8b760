import { type ChildProcess, spawn } from 'node:child_process'
import type { TestScope } from './ingress.ts'
import { exitOf } from './live-stack.ts'

export const gstreamerPath = '/usr/bin/gst-launch-1.0'

function launch(t: TestScope, ...pipeline: string[]): ChildProcess {
  const words = pipeline.flatMap((part) => part.split(/\s+/))
  const child = spawn(gstreamerPath, ['-q', ...words], {
    stdio: ['ignore', 'ignore', process.env.WORKER_LOG ? 'inherit' : 'ignore'],
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  return child
}

/** Publishes a number of frames, 25 per second: by SRT if the URL is srt, otherwise by RTMP. */
export function gstPublish(t: TestScope, url: string, frames: number): ChildProcess {
  const [mux, sink] = url.startsWith('srt:')
    ? ['mpegtsmux name=mux alignment=7', `srtsink uri=${url}`]
    : ['flvmux name=mux streamable=true', `rtmp2sink location=${url}`]
  const sounds = Math.ceil((frames / 25) * (48_000 / 1024))
  return launch(
    t,
    `${mux} ! ${sink}`,
    `videotestsrc is-live=true num-buffers=${frames} ! video/x-raw,format=I420,width=320,height=180,framerate=25/1`,
    '! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 ! h264parse config-interval=1 ! queue ! mux.',
    `audiotestsrc is-live=true samplesperbuffer=1024 num-buffers=${sounds} ! audio/x-raw,rate=48000,channels=2`,
    '! avenc_aac ! aacparse ! queue ! mux.',
  )
}

/** Milliseconds after which a player that has not shown all frames has failed. */
const longestWatch = 140_000

/** Plays a number of frames of a playlist in real time. Returns true if all arrived. */
export async function gstWatch(t: TestScope, url: string, frames: number, elder = false): Promise<boolean> {
  // `hlsdemux2` is used by uridecodebin3. Before it, there was `hlsdemux`.
  const demuxer = elder ? `souphttpsrc location=${url} ! hlsdemux ! decodebin` : `uridecodebin3 uri=${url}`
  const sink = `fakesink sync=true num-buffers=${frames}`
  const player = launch(t, `${demuxer} ! video/x-raw ! ${sink}`)
  const over = setTimeout(() => player.kill('SIGKILL'), longestWatch)
  const code = await exitOf(player)
  clearTimeout(over)
  return code === 0
}
