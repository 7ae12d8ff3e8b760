import { rmSync } from 'node:fs'
import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from '#lib/config.ts'
import { type GuideBlock, guideBlocks } from './guide-blocks.ts'
import { type RealValues, responseFault } from './guide-response.ts'
import { runLine, type Said } from './millrace.ts'
import { debianPython, pythonClient } from './python.ts'
import { isWhole } from './sample.ts'
import { until } from './until.ts'

/** How the examples of a guide are run. */
export interface GuideRun {
  /** Folder in which the examples run; `/tmp/` in an example means this folder. */
  folder: string
  baseUrl: string
  apiKey: string
  /** Headings whose examples are run, in the order of the guide; default: all. */
  sections?: string[]
  /** Languages that are run; default: `sh` only. */
  languages?: string[]
  /** True to run one example of each language other than `sh`. A deep run runs all of them. */
  oneOfEach?: boolean
  /** Texts of examples that the test replaces, for example the host name of a mail server. */
  replace?: Record<string, string>
  /** More environment variables, for example identifiers that the reader copies from a page. */
  environment?: Record<string, string>
  /** True for the blocks to run; default: all of the sections. */
  only?: (block: GuideBlock) => boolean
}

/** One example that was run. */
export interface Step extends GuideBlock {
  out: string
  err: string
  /** The response, if the guide shows one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of a response.
  json?: any
}

/**
 * Runs the examples of a guide as a reader does. Throws when an example fails.
 *
 * A `json` block after a call is its expected response: each of its fields must be in the real one, with the same type. A block that
 * begins with `# Repeat until` is repeated for up to 60 s, until words such as `ready`, true and false are equal as well.
 * `export NAME=value` takes the real value of the field that has this value in an expected response.
 */
export async function runGuide(guide: string, run: GuideRun): Promise<Step[]> {
  const { folder, sections, languages = ['sh'], oneOfEach = false, only = () => true } = run
  const session = await openSession(run)
  const steps: Step[] = []
  const hasRun = (language: string) => steps.some((step) => step.language === language)
  for (const block of guideBlocks(guide)) {
    if (sections && !sections.includes(block.heading)) continue
    if (!languages.includes(block.language) || !only(block)) continue
    if (oneOfEach && !isWhole && block.language !== 'sh' && hasRun(block.language)) continue
    const repeats = /^\s*# Repeat until/.test(block.code)
    const attempt = async (): Promise<Step> => {
      const { out, err } = await session.execute(block)
      if (block.language !== 'sh' || block.response === undefined) return { ...block, out, err }
      const json = parsed(out)
      const fault = responseFault(JSON.parse(block.response), json, repeats, session.values)
      if (fault) throw new Error(`${block.heading}: ${fault}; expected ${block.response}received ${out}`)
      return { ...block, out, err, json }
    }
    steps.push(
      repeats ? await until(() => attempt(), { timeout: 60_000, every: 500, what: block.heading }) : await attempt(),
    )
  }
  if (steps.length === 0) throw new Error(`No example was run in ${folder}.`)
  return steps
}

/** Parses the last JSON value of an output; throws with the output if it has none. */
function parsed(out: string): unknown {
  try {
    return JSON.parse(
      out
        .trim()
        .split(/\n(?=[{[])/)
        .at(-1) ?? '',
    )
  } catch (error) {
    throw new Error(`The output is not JSON: ${out}`, { cause: error })
  }
}

/** The shell of a reader: variables and functions of one block are known in the next. */
async function openSession({ folder: given, baseUrl, apiKey, replace = {}, environment = {} }: GuideRun) {
  const folder = await unquotedPath(given)
  const state = join(folder, 'state.sh')
  await writeFile(state, '')
  const variables = {
    MILLRACE_BASE_URL: baseUrl,
    MILLRACE_API_KEY: apiKey,
    PYTHONPATH: `${pythonClient}src`,
    PYTHONDONTWRITEBYTECODE: '1',
    ...environment,
  }
  const values: RealValues = new Map()

  async function execute({ language, code, heading }: GuideBlock): Promise<Said> {
    let text = code.replaceAll('/tmp/', `${folder}/`)
    for (const [from, to] of Object.entries(replace)) text = text.replaceAll(from, await unquotedPath(to))
    const script = join(folder, 'example.sh')
    await writeFile(
      script,
      `PATH=${join(folder, 'bin')}:$PATH\n. ${state}\nset -ea\n${await commands(language, text)}\n${save}`,
    )
    const said = await runLine('/bin/bash', ['-u', script], childEnvironment(variables), folder, 180_000)
    if (said.code !== 0) throw new Error(`${heading}: exit ${said.code}: ${said.err}\n${said.out}\n${text}`)
    return said
  }

  const save = `{ declare -p | grep -v '^declare -[a-zA-Z]*r'; declare -f; } > ${state}\n`

  async function commands(language: string, code: string): Promise<string> {
    if (language === 'sh') return withRealValues(code, values)
    const file = join(folder, language === 'js' ? 'example.mjs' : 'example.py')
    await writeFile(file, language === 'js' ? withNodeClient(code) : code)
    return language === 'js' ? `${await unquotedPath(process.execPath)} ${file}` : `${debianPython} ${file}`
  }

  return { values, execute }
}

/** Returns a path that a shell needs no quotes for: the given one, or a link to it. Other texts are returned as given. */
async function unquotedPath(path: string): Promise<string> {
  if (!path.startsWith('/') || /^[\w./@:-]+$/.test(path)) return path
  const folder = await mkdtemp(join(tmpdir(), 'millrace-guide-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const link = join(folder, 'link')
  await symlink(path, link)
  return link
}

/** Puts the values of real responses into `export` lines; base URL and key are those of the test. */
const withRealValues = (code: string, values: RealValues): string =>
  code.replace(/^( *export (\w+)=)(.*)$/gm, (line, start, name, value) => {
    if (/^MILLRACE_(BASE_URL|API_KEY)$/.test(name)) return ''
    const real = values.get(value.replace(/\s+#.*$/, '').replace(/^(['"])(.*)\1$/, '$2'))
    return real === undefined ? line : `${start}'${real}'`
  })

const withNodeClient = (code: string): string =>
  code.replace(
    /from 'millrace(?:\/(\w+))?'/g,
    (_, part = 'index') => `from '${new URL(`../../sdk/node/src/${part}.ts`, import.meta.url)}'`,
  )
