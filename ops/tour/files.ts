import { eicar } from '../embedded/signatures.ts'
import { download, sendFile, waitForScan } from '../files-client.ts'
import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'
import { buildZip64 } from './zip64.ts'

/** Uploads a clean file and EICAR. The malware gate rejects EICAR even in an archive that ClamAV does not unpack. */
export function fileSteps(api: Api): Step[] {
  return [
    { name: 'clean file', run: () => sendClean(api) },
    { name: 'EICAR', run: () => sendInfected(api, 'eicar.com', 'application/octet-stream', Buffer.from(eicar)) },
    {
      name: 'EICAR in ZIP64',
      run: () => sendInfected(api, 'holiday.zip', 'application/zip', buildZip64('photo.com', Buffer.from(eicar))),
    },
  ]
}

async function sendClean(api: Api): Promise<string> {
  const text = Buffer.from('Nothing but a letter.\n')
  const { object_id, scan_status, verdict } = await waitForScan(
    api,
    await sendFile(api, 'letter.txt', 'text/plain', text),
  )
  if (scan_status !== 'clean') throw new Error(`The clean file is ${scan_status}: ${JSON.stringify(verdict)}`)
  if (!(await download(api, object_id)).equals(text))
    throw new Error('The downloaded file differs from the uploaded file.')
  return `${verdict?.engine} found nothing, and the download is identical${await notice(api)}`
}

async function sendInfected(api: Api, name: string, type: string, bytes: Buffer): Promise<string> {
  const { object_id, scan_status, verdict } = await waitForScan(api, await sendFile(api, name, type, bytes))
  if (scan_status !== 'infected') throw new Error(`${name} is ${scan_status}.`)
  const refusal = await download(api, object_id).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (!refusal?.includes(': 409 ')) throw new Error(`${name} could be downloaded.`)
  return `found infected (${verdict?.reasons[0]?.detail}) and rejected for download`
}

async function notice(api: Api): Promise<string> {
  const { signatures } = await ask<{ signatures: string | null }>(api, 'GET', '/v1/files/health')
  return signatures === 'official'
    ? ''
    : '; NOTICE: only test signatures are installed, so real malware is not detected'
}
