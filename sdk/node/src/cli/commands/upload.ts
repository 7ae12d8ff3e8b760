import { basename } from 'node:path'
import type { FilesObject, VideoAsset } from '../../generated/types.ts'
import { command, type Run } from '../command.ts'
import { type Connection, connect } from '../connection.ts'
import { exitStatus } from '../exit-status.ts'
import { mediaTypeOf } from '../media-types.ts'
import { sizeOf, wholeNumber } from '../numbers.ts'
import { clean } from '../terminal.ts'
import { progressBar } from '../upload/progress.ts'
import { type FileFacts, openClient, type Sending, sendFile, sendVideo } from '../upload/send-file.ts'
import { checkUnchanged, findFile, UploadSession } from '../upload/sessions.ts'
import { UsageError } from '../usage-error.ts'
import { waitFor } from '../wait-for.ts'

const visibilities = ['private', 'signed', 'public'] as const

const options = {
  video: { type: 'boolean', help: 'Upload a video, which is encoded for players' },
  title: { type: 'string', value: 'TEXT', help: 'Title of the video' },
  product: { type: 'string', value: 'KEY', help: 'Product of the file. Default: cli' },
  tenant: { type: 'string', value: 'ID', help: 'Tenant of the file. Default: default' },
  folder: { type: 'string', value: 'PATH', help: 'Folder of the file, such as invoices/2026' },
  visibility: {
    type: 'string',
    value: 'WHO',
    help: 'Who can load the file by its URL. Default: private',
    choices: visibilities,
  },
  name: { type: 'string', value: 'NAME', help: 'File name. Default: the name on this computer' },
  type: { type: 'string', value: 'TYPE', help: 'Media type. Default: the type of the file name' },
  wait: { type: 'boolean', short: 'w', help: 'Wait for the scan or the encoding. Status 3 if the result is negative' },
  timeout: { type: 'string', value: 'SECONDS', help: 'Time limit of --wait, 1 to 86400. Default: 600' },
} as const

type Given = Run<typeof options>

export const upload = command({
  name: 'upload',
  summary: 'Upload a file or a video',
  details: 'If the upload is interrupted, run the same command again. It sends only the missing parts.',
  operands: [{ name: 'FILE', help: 'File on this computer', choices: 'files' }],
  options,
  examples: ['millrace-cli upload invoice.pdf --wait', 'millrace-cli upload talk.mp4 --video --title "Opening talk"'],
  async run(given) {
    const { values, operands, common, terminal } = given
    checkOptions(values)
    const seconds = wholeNumber('timeout', values.timeout, 1, 86_400, 600)
    const file = await findFile(operands[0] as string)
    const connection = await connect(common)
    const id = await sent(given, connection, file)
    terminal.progress(undefined)
    terminal.note(`Uploaded ${sizeOf(file.bytes)}.`)
    await checkUnchanged(file)
    return values.video
      ? await showVideo(given, connection, id, seconds)
      : await showFile(given, connection, id, seconds)
  },
})

function checkOptions({ video, title, product, tenant, folder, visibility }: Given['values']): void {
  if (!video && title !== undefined) throw new UsageError('--title needs --video.', 'upload')
  const ofFiles = Object.entries({ product, tenant, folder, visibility }).find(([, value]) => value !== undefined)
  if (video && ofFiles) throw new UsageError(`--${ofFiles[0]} cannot be used with --video.`, 'upload')
  if (visibility !== undefined && !visibilities.includes(visibility as never)) {
    throw new UsageError('--visibility must be private, signed or public.', 'upload')
  }
}

async function sent(given: Given, { url, key }: Connection, file: Sending['file']): Promise<string> {
  const { values, operands, terminal, signal } = given
  const filename = values.name ?? basename(operands[0] as string)
  const type = values.type ?? mediaTypeOf(filename)
  const { product: product_key = 'cli', tenant: tenant_id = 'default', folder, visibility } = values
  const facts: FileFacts = {
    ...{ product_key, tenant_id, filename, content_type: type },
    ...(folder === undefined ? {} : { folder }),
    ...(visibility === undefined ? {} : { visibility: visibility as (typeof visibilities)[number] }),
  }
  const ofVideo = { filename, mimeType: type, ...(values.title === undefined ? {} : { title: values.title }) }
  const session = new UploadSession([url, key.slice(0, 16), file, values.video ? ofVideo : facts])
  const onResume = () => terminal.note('Continuing the interrupted upload.')
  const sending = {
    client: await openClient(url, key),
    file,
    session,
    signal,
    onResume,
    onProgress: progressBar(terminal),
  }
  return values.video ? await sendVideo(sending, ofVideo) : await sendFile(sending, facts)
}

const open = new Set(['awaiting_upload', 'pending', 'scanning'])

async function showFile({ values, terminal, signal }: Given, connection: Connection, id: string, seconds: number) {
  const client = await openClient(connection.url, connection.key)
  const tenant_id = values.tenant ?? 'default'
  const read = (): Promise<FilesObject> => client.files.objects.read(id, { tenant_id }, { signal })
  const isFinal = ({ scan_status }: FilesObject) => !open.has(scan_status)
  const waiting = { seconds: values.wait ? seconds : 0, signal }
  const object = await waitFor(read, isFinal, {
    ...waiting,
    onState: (state) => terminal.progress(`Scan: ${clean(state.scan_status)}`),
  })
  terminal.progress(undefined)
  const { scan_status: verdict, url } = object
  if (terminal.json) terminal.printJson(object)
  else {
    terminal.print(clean(url ?? id))
    terminal.note(`Scan: ${clean(verdict)}.`)
  }
  return !values.wait || verdict === 'clean' ? exitStatus.done : exitStatus.negative
}

async function showVideo({ values, terminal, signal }: Given, connection: Connection, id: string, seconds: number) {
  const client = await openClient(connection.url, connection.key)
  const isFinal = ({ status }: VideoAsset) => ['ready', 'failed', 'aborted'].includes(status)
  const asset = await waitFor(() => client.video.assets.read(id, { signal }), isFinal, {
    ...{ seconds: values.wait ? seconds : 0, signal },
    onState: ({ stage, progress_percent }) => terminal.progress(`${clean(stage)}: ${Math.floor(progress_percent)} %`),
  })
  terminal.progress(undefined)
  if (terminal.json) terminal.printJson(asset)
  else {
    terminal.print(clean(id))
    terminal.note(`Video: ${clean(asset.status)}.${asset.failure_summary ? ` ${clean(asset.failure_summary)}` : ''}`)
  }
  return !values.wait || asset.status === 'ready' ? exitStatus.done : exitStatus.negative
}
