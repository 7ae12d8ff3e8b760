import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { argumentsOf, chain, createCommand, mapStream, withOptions } from '../../../workers/media/command.ts'
import { createMediaTools } from '../../../workers/media/media-tools.ts'
import { fileUrl, openMezzanine, openUpload } from '../../../workers/media/untrusted.ts'
import { call, scratch } from '../../media/pipeline.ts'
import { film } from '../../media/sources.ts'

const folder = await scratch(t)

t.test('each input has its own whitelists before it, and no space ends an option', async (t) => {
  const command = createCommand(withOptions(['-copyts', '-vn'], openMezzanine('/a file')), openUpload("/b' file"))
    .output('file:/first out')
    .audioCodec('aac')
    .audioBitrate(128)
    .audioChannels(1)
    .audioFilters([{ filter: 'atrim', options: { start: '0.5', duration: 2 } }])
    .outputOptions(...mapStream('0:a:0'))
    .output('file:/second')
    .map('marked')
    .frames(3)
    .videoFilters([{ filter: 'scale', options: { w: 'min(1280,iw)', h: 2 } }])
    .outputOptions('-var_stream_map', 'v:0,name:a a:0,name:b')
  const limits = (formats: string) => [
    ...['-protocol_whitelist', 'file', '-format_whitelist', formats],
    ...['-max_pixels', '35651584', '-max_streams', '128'],
  ]
  const videos = 'mov,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mxf,dv,gif,apng'
  const sounds = 'wav,w64,mp3,aac,flac,aiff,caf,ac3,eac3,dts,amr,au,wv,tta'
  t.strictSame(argumentsOf(command), [
    ...['-copyts', '-vn', ...limits('mov,matroska'), '-i', 'file:/a file'],
    ...[...limits(`${videos},${sounds}`), '-i', "file:/b' file"],
    ...['-acodec', 'aac', '-b:a', '128k', '-ac', '1', '-filter:a', 'atrim=start=0.5:duration=2'],
    ...['-map', '0:a:0', 'file:/first out'],
    ...['-vframes', '3', '-filter:v', "scale=w='min(1280,iw)':h=2", '-map', '[marked]'],
    ...['-var_stream_map', 'v:0,name:a a:0,name:b', 'file:/second'],
  ])
})

t.test('the chains of a filter graph meet at their names', async (t) => {
  const graph = [
    ...chain(
      [
        { filter: 'setpts', options: 'N' },
        { filter: 'format', options: 'gray' },
      ],
      ['0:2'],
      'base',
    ),
    ...chain([{ filter: 'split', options: '2' }], ['base'], 's0', 's1'),
    ...chain([{ filter: 'overlay', options: { x: 0 } }], ['s0', 's1'], 'v'),
  ]
  t.strictSame(argumentsOf(createCommand().complexFilter(graph)), [
    '-filter_complex',
    '[0:2]setpts=N[base_1];[base_1]format=gray[base];[base]split=2[s0][s1];[s0][s1]overlay=x=0[v]',
  ])
})

t.test('ffmpeg takes a command line as it was built', async (t) => {
  const source = await film(join(folder, 'a film.mp4'), 'testsrc2=s=64x64:r=25:d=1')
  const path = join(folder, 'a picture.png')
  const graph = chain(
    [
      { filter: 'negate', options: {} },
      { filter: 'format', options: 'rgb24' },
    ],
    ['0:v'],
    'out',
  )
  const command = createCommand(openUpload(source)).complexFilter(graph).output(fileUrl(path)).map('out').frames(1)
  const run = await createMediaTools({ nice: 0 }).ffmpeg(command, { call, timeout: 30_000 })
  t.ok(run.ok, run.messages.join('\n'))
  t.ok((await stat(path)).size > 0)
})
