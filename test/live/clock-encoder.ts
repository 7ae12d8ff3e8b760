import { type ChildProcess, spawn } from 'node:child_process'

const [width, height, frameMs] = [320, 180, 50]

/** Draws the milliseconds as 32 squares, as the pages of `web-peers` read them. */
function clockFrame(now: number): Buffer {
  const frame = Buffer.alloc(width * height)
  for (let i = 0; i < 32; i++) {
    if (Math.floor(now / 2 ** i) % 2 === 0) continue
    for (let y = 0; y < 45; y++)
      frame.fill(
        235,
        (Math.floor(i / 8) * 45 + y) * width + (i % 8) * 40,
        (Math.floor(i / 8) * 45 + y) * width + (i % 8) * 40 + 40,
      )
  }
  return frame
}

/** Publishes a clock with ffmpeg, as an encoder does. */
export function publishClock(url: string): ChildProcess {
  const picture = `-f rawvideo -pix_fmt gray -s ${width}x${height} -use_wallclock_as_timestamps 1 -i pipe:0`
  const sound = '-f lavfi -re -i sine=sample_rate=48000'
  const coding =
    '-vf format=yuv420p -c:v libx264 -preset ultrafast -tune zerolatency -g 20 -fps_mode passthrough -c:a aac -flush_packets 1 -f flv'
  const args = `-v error ${picture} ${sound} ${coding}`.split(' ')
  const child = spawn('ffmpeg', [...args, url], { stdio: ['pipe', 'ignore', 'inherit'] })
  const timer = setInterval(() => child.stdin?.write(clockFrame(Date.now() % 2 ** 31)), frameMs)
  child.stdin?.on('error', () => {})
  child.once('close', () => clearInterval(timer))
  return child
}
