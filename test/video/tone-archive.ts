import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { ffmpeg } from '../media/ffmpeg.ts'
import { toneModel, toneTokens } from './tone-model.ts'

/** Writes the archive of the test model, as published models have it, and returns its path. */
export async function toneArchive(folder: string): Promise<string> {
  const [root, archive] = ['tone-model', join(folder, 'tone-model.tar.bz2')]
  await mkdir(join(folder, root))
  await writeFile(join(folder, root, 'tones.onnx'), toneModel())
  await writeFile(join(folder, root, 'tokens.txt'), toneTokens)
  await writeFile(join(folder, root, 'README.md'), 'Not needed.')
  await promisify(execFile)('tar', ['-cjf', archive, '-C', folder, root])
  return archive
}

/** Returns a list of models with the test model only. */
export async function toneList(archive: string): Promise<object[]> {
  const bytes = await readFile(archive)
  return [
    {
      name: 'tones',
      kind: 'ctc',
      languages: ['tlh'],
      licence: 'MIT',
      archive: basename(archive),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      files: { model: 'tones.onnx', tokens: 'tokens.txt' },
    },
  ]
}

/** Writes eight seconds with four tones: low, high, low, high, one every two seconds. */
export async function tones(path: string): Promise<void> {
  const tone = 'if(between(mod(t,2),0.5,1),0.3*sin(2*PI*t*if(lt(mod(t,4),2),300,2000)),0)'
  const source = `aevalsrc='${tone}':s=16000:d=8`
  await ffmpeg('-f', 'lavfi', '-i', source, '-ac', '1', path)
}
