import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { createCommand } from '../../../workers/media/command.ts'
import { createMediaTools } from '../../../workers/media/media-tools.ts'
import { fileUrl } from '../../../workers/media/untrusted.ts'
import { call } from '../../media/pipeline.ts'

/** Both lists, literally or by the functions that give both. */
const both = (text: string) =>
  /getFileOptions\(|getWhitelists\(/.test(text) ||
  ["'-protocol_whitelist'", "'-format_whitelist'"].every((name) => text.includes(name))

/** What builds arguments of ffmpeg and ffprobe: a line with `-i`, or an input for `commandOf`. */
function builders(text: string): string[] {
  const lines = text.split('\n')
  const named = lines.flatMap((line, i) =>
    /'-i',/.test(line) ? [lines.slice(Math.max(0, i - 4), i + 1).join('\n')] : [],
  )
  const inputs = [...text.matchAll(/\bsource: (?:fileUrl\(|`)/g)].map(({ index }) => {
    const line = text.slice(0, index).split('\n').length - 1
    return lines.slice(Math.max(0, line - 3), line + 4).join('\n')
  })
  return [...named, ...inputs]
}

t.test(
  'every builder of arguments of ffmpeg and ffprobe says what protocols and formats an input may have',
  async (t) => {
    const files = globSync(['workers/**/*.ts', 'tasks/**/*.ts', 'ingress/**/*.ts', 'lib/**/*.ts', 'sql/**/*.ts'])
    let found = 0
    for (const file of files) {
      for (const builder of builders(readFileSync(file, 'utf8'))) {
        found++
        t.ok(both(builder), `${file}: ${builder}`)
      }
    }
    t.ok(found >= 7, `${found} builders`)
    t.notOk(both("['-protocol_whitelist', 'file', '-i', path]"), 'one list is not enough')
  },
)

t.test('an input without both lists is never opened', async (t) => {
  const tools = createMediaTools({ nice: 0 })
  for (const options of [[], ['-protocol_whitelist', 'file'], ['-format_whitelist', 'mov']]) {
    const input = { source: fileUrl('/nowhere.mp4'), options }
    const run = { call, timeout: 10_000 }
    await t.rejects(tools.ffmpeg(createCommand(input).output('-').format('null'), run), /whitelist/)
    await t.rejects(tools.ffprobe([], input, run), /whitelist/)
  }
})
