import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const makers = fileURLToPath(new URL('makers.py', import.meta.url))

/** What makers of files declare, by the ending of the name. */
const types: Record<string, string> = {
  zip: 'application/zip',
  jar: 'application/java-archive',
  apk: 'application/vnd.android.package-archive',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  fodt: 'application/vnd.oasis.opendocument.text-flat-xml',
  epub: 'application/epub+zip',
  gz: 'application/gzip',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  svgz: 'image/svg+xml',
  html: 'text/html',
  txt: 'text/plain',
  csv: 'text/csv',
}

export const typeOf = (name: string): string => types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'

/** Ordinary documents and archives in a folder, made by the usual programs; a seed always makes the same contents. */
export async function ordinaryFiles(folder: string, seed: number): Promise<{ name: string; bytes: Buffer }[]> {
  await mkdir(folder, { recursive: true })
  await promisify(execFile)('python3', [makers, folder, String(seed)])
  const names = (await readdir(folder)).sort()
  return await Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })))
}
