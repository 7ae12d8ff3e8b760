import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { liveStack } from '../support/live-stack.ts'

t.setTimeout(240_000)
const skip = existsSync('/usr/bin/obs') && existsSync('/usr/bin/xvfb-run') ? false : 'OBS is not installed'

/** The settings of somebody who streams a green picture to a server of their own. */
async function settingsOf(home: string, url: string): Promise<void> {
  const folder = join(home, '.config/obs-studio')
  const profile = join(folder, 'basic/profiles/Untitled')
  await mkdir(profile, { recursive: true })
  await mkdir(join(folder, 'basic/scenes'), { recursive: true })
  const server = url.slice(0, url.lastIndexOf('/'))
  const service = { type: 'rtmp_custom', settings: { server, key: url.slice(server.length + 1), use_auth: false } }
  const green = { color: 0xff00ff00, width: 1280, height: 720 }
  const item = { name: 'Colour', id: 1, visible: true, pos: { x: 0, y: 0 }, scale: { x: 1, y: 1 } }
  const sources = [
    { id: 'color_source', versioned_id: 'color_source_v3', name: 'Colour', settings: green },
    { id: 'scene', versioned_id: 'scene', name: 'Scene', settings: { items: [item], id_counter: 1 } },
  ]
  const scenes = { name: 'Untitled', current_scene: 'Scene', scene_order: [{ name: 'Scene' }], sources }
  const files = {
    'global.ini': `[General]\nFirstRun=true\nInfoIncrement=99\n[Basic]\nProfile=Untitled\nProfileDir=Untitled\nSceneCollection=Untitled\nSceneCollectionFile=Untitled\n[BasicWindow]\nWarnBeforeStartingStream=false\n`,
    'basic/profiles/Untitled/basic.ini': `[General]\nName=Untitled\n[Output]\nMode=Simple\n[SimpleOutput]\nVBitrate=1500\nStreamEncoder=x264\nUseAdvanced=true\nx264Settings=keyint=60 bframes=0\n[Video]\nBaseCX=1280\nBaseCY=720\nOutputCX=1280\nOutputCY=720\nFPSCommon=30\n`,
    'basic/profiles/Untitled/service.json': JSON.stringify(service),
    'basic/scenes/Untitled.json': JSON.stringify(scenes),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

t.test('OBS streams to a channel as it comes, and the channel is idle once it ends', { skip }, async (t) => {
  const stack = await liveStack(t)
  const channel = await stack.makeChannel({ name: 'OBS' })
  await stack.startLive()
  const home = t.testdir({})
  await settingsOf(home, stack.rtmp(channel.primary))
  const command = ['-a', '-s', '-screen 0 1280x800x24', 'obs', '--startstreaming', '--multi', '--disable-updater']
  const env = childEnvironment({ HOME: home, LIBGL_ALWAYS_SOFTWARE: '1' })
  // A group of its own: the screen and the program on it end together.
  const obs = spawn('xvfb-run', command, { env, stdio: 'ignore', detached: true })
  const isOver = () => obs.exitCode !== null || obs.signalCode !== null
  const end = () => void (isOver() || obs.pid === undefined || process.kill(-obs.pid, 'SIGTERM'))
  t.teardown(end)
  const { stream } = await channel.state('live')
  t.match(stream, { width: 1280, height: 720, frameRate: 30, videoCodec: /^avc1/, audioCodec: /^mp4a/ })
  t.same(stream.warnings, [])
  end()
  if (!isOver()) await once(obs, 'exit')
  await channel.state('idle')
  await channel.recorded()
})
