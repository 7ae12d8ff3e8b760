/**
 * `npm run check:regex`: checks that every regular expression of the product takes linear time or has bounded input.
 * Only new and changed expressions are checked. `npm run check:regex -- --all` checks all of them again.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findBuiltExpressions } from './built-expressions.ts'
import { findFault, readExcuse } from './excuse.ts'
import { findLiterals, type Literal } from './literals.ts'
import { openVerdicts } from './verdicts.ts'

/**
 * Limits of the attack search. They count steps, so that verdicts do not depend on load. The timeout in milliseconds is
 * only for searches that would never end.
 */
const effort = {
  timeout: 20_000,
  attackLimit: 1e8,
  attackTimeout: null,
  maxAttackStringSize: 100_000,
  incubationTimeout: null,
  seedingTimeout: null,
  maxIteration: 3,
  maxInitialGenerationSize: 200,
  maxGenerationSize: 50,
}
const atOnce = 2

const { positionals: layers, values } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } })
/** Files that can be loaded to read their expressions. Files of `ops` and `sdk` are programs. */
const loaded = /^(?!(?:ops|sdk)\/).*\.ts$/

const written = (await Promise.all(layers.map(literalsIn))).flat()
const files = [...new Set(written.map(({ file }) => file))].filter((file) => loaded.test(file))
const literals: LiteralInFile[] = [...written.filter(({ built }) => !built), ...(await findBuiltExpressions(files))]
const judgedCount = new Set(literals.map(({ source, flags }) => `/${source}/${flags}`)).size
const expressions = [...Map.groupBy(literals, ({ source, flags }) => `/${source}/${flags}`)]
const verdicts = await openVerdicts(effort, { afresh: values.all ?? false })
const faults: string[] = []
await Promise.all(Array.from({ length: atOnce }, judgeNext))
await verdicts.keep()
for (const fault of faults.toSorted()) console.log(fault)
console.log(`${judgedCount} regular expressions, ${faults.length} faults`)
process.exit(faults.length > 0 ? 1 : 0)

type LiteralInFile = Literal & { file: string }

async function literalsIn(layer: string): Promise<LiteralInFile[]> {
  const entries = await readdir(layer, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => /\.(ts|js|cjs)$/.test(path) && !/\/(node_modules|dist|generated)\//.test(path))
  const found = files.map(async (file) => {
    return findLiterals(file, await readFile(file, 'utf8')).map((literal) => ({ ...literal, file }))
  })
  return (await Promise.all(found)).flat()
}

async function judgeNext(): Promise<void> {
  for (let next = expressions.shift(); next; next = expressions.shift()) {
    const [expression, places] = next
    const { source, flags } = places[0] as LiteralInFile
    const judged = await verdicts.judge(source, flags)
    for (const { file, line, comment, built } of places) {
      const excuse = readExcuse(comment)
      // One line can build several expressions, and an excuse for one does not need to apply to all.
      if (built && judged.status === 'safe') continue
      const fault = typeof excuse === 'string' ? excuse : findFault(source, judged, excuse)
      if (fault) faults.push(`${file}:${line} ${expression.slice(0, 120)} ${fault}`)
    }
  }
}
