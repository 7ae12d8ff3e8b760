import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { config } from '#lib/config.ts'
import { catalogue } from '../../workers/media/speech/models/catalogue.ts'
import { DownloadError } from '../../workers/media/speech/models/download.ts'
import { installModel, ModelError } from '../../workers/media/speech/models/install.ts'
import { listInstalled, modelsFolder } from '../../workers/media/speech/models/installed.ts'
import { detectsLanguage, type SpeechModel, SpeechModels } from '../../workers/media/speech/models/model.ts'
import { type Column, json, line, number, short, table } from './output.ts'
import { progress } from './progress.ts'
import { CommandError, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('models').description('list the speech models for captions, and add one to this host')
  command
    .command('list', { isDefault: true })
    .description('list the models, and which of them this host has')
    .option('--list <file>', 'list of models in JSON, instead of the built-in one')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('add')
    .description('download a model to this host, check its SHA-256 and unpack it')
    .argument('<model>', 'name of the model (see `millrace models`)')
    .option('--url <url>', 'folder to download from; default: SPEECH_MODELS_URL')
    .option('--file <file>', 'use an archive on this host instead of a download')
    .option('--list <file>', 'list of models in JSON, instead of the built-in one')
    .option('--json', 'print JSON')
    .action(runAdd)
}

interface Options {
  list?: string
  url?: string
  file?: string
  json?: boolean
}

type Row = SpeechModel & {
  installed: boolean
}

async function runList(options: Options): Promise<void> {
  const [offered, installed] = await Promise.all([readList(options.list), listInstalled(modelsFolder())])
  const names = new Set(installed.map(({ name }) => name))
  const others = installed.filter(({ name }) => !offered.some((model) => model.name === name))
  const rows = [...offered, ...others].map((model) => ({ ...model, installed: names.has(model.name) }))
  if (options.json) json(rows)
  else table(rows, columns, 'No models.')
}

const columns: Column<Row>[] = [
  { heading: 'MODEL', text: ({ name }) => name },
  { heading: 'MB', right: true, text: ({ bytes }) => number(Math.round(bytes / 1e6)) },
  { heading: 'LANGUAGES', text: ({ languages }) => short(`${languages.length}: ${languages.join(' ')}`, 40) },
  { heading: 'DETECTS', text: (model) => (detectsLanguage(model) ? 'yes' : 'no') },
  { heading: 'LICENCE', text: ({ licence }) => licence },
  { heading: 'HERE', text: ({ installed }) => (installed ? 'yes' : 'no') },
]

async function runAdd(name: string, options: Options): Promise<void> {
  if (options.file && options.url) throw new UsageError('--file and --url cannot be used together')
  const url = options.url ?? config.SPEECH_MODELS_URL
  if (!options.file && !URL.canParse(url)) throw new UsageError(`--url: "${url}" is not a URL`)
  const model = (await readList(options.list)).find((one) => one.name === name)
  if (!model) throw new UsageError(`"${name}" is not a model; \`millrace models\` lists them`)
  const folder = modelsFolder()
  const from = options.file ? { file: options.file } : { url }
  const bar = progress(model.archive, model.bytes, options.json)
  const ends = new AbortController()
  process.once('SIGINT', () => ends.abort(new ModelError('Interrupted. Run the command again to continue.')))
  try {
    await installModel(model, { folder, from, signal: ends.signal, onBytes: (done) => bar.at(done) })
  } catch (error) {
    if (error instanceof ModelError || error instanceof DownloadError) throw new CommandError(error.message)
    throw error
  } finally {
    bar.end()
  }
  if (options.json) return json({ model: name, folder })
  line(`${name} is installed in ${folder}. Set SPEECH_MODEL=${name} for the media workers of this host.`)
}

async function readList(path: string | undefined): Promise<readonly SpeechModel[]> {
  if (path === undefined) return catalogue
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`--list: ${path} cannot be read: ${error.message}`)
  })
  const models = SpeechModels.safeParse(parse(text))
  if (models.success) return models.data
  const [issue] = models.error.issues
  throw new UsageError(`--list: ${path}: ${issue?.path.join('.') || 'the file'} ${issue?.message}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
