/**
 * The verdicts of a fixed set of samples with the version of the heuristics that gave them, as `golden.json` has them. Run by
 * hand, `node test/files/golden.ts`: writes them anew once the version has been raised.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { z } from 'zod'
import { heuristicsVersion } from '../../workers/scan/heuristics.ts'
import { eicar, tar, zip } from './archives.ts'
import { byName, inContainers, inHeaders, inOffice, inTexts } from './disguises.ts'
import { elsewhere, inArchives, measured } from './evasions.ts'
import { inPages, inPdf } from './pages.ts'
import { gif, jpeg, pdf, png } from './pictures.ts'
import { examineBytes, type Upload } from './stand-in.ts'

const shell = '#!/bin/sh\nid\n'

/** What is no evasion: such as people send every day, and what is known. */
const ordinary: Record<string, Upload> = {
  'nothing at all': { bytes: '' },
  'a letter': { bytes: 'A letter.\n', name: 'letter.txt', type: 'text/plain' },
  'bytes of no kind': { bytes: Buffer.from([1, 2, 3]) },
  'a picture of PNG': { bytes: png, name: 'a.png', type: 'image/png' },
  'a picture of JPEG': { bytes: jpeg, name: 'a.jpg', type: 'image/jpeg' },
  'a picture of GIF': { bytes: gif, name: 'a.gif', type: 'image/gif' },
  'a drawing': { bytes: '<svg xmlns="http://www.w3.org/2000/svg"/>', name: 'a.svg', type: 'image/svg+xml' },
  'a page': { bytes: '<!doctype html><p>Hello', name: 'a.html', type: 'text/html' },
  'a PDF': { bytes: pdf('1 0 obj <</Title (a letter)>> endobj'), name: 'a.pdf', type: 'application/pdf' },
  'an electronic invoice': {
    bytes: pdf(
      '1 0 obj <</F(factur-x.xml)/EF <</F 2 0 R>>>> endobj\n2 0 obj <</Filter/FlateDecode>> stream\n',
      deflateSync('<?xml version="1.0"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece"/>'),
    ),
    name: 'invoice.pdf',
    type: 'application/pdf',
  },
  'a script of a shell': { bytes: shell, name: 'deploy.sh' },
  'a script of pages': { bytes: 'console.log(1)\n', name: 'app.js' },
  'a script of Windows': { bytes: '@echo off\r\n', name: 'make.bat' },
  'a script of VBScript': { bytes: 'x', name: 'a.vbs' },
  'scripts in an archive': {
    bytes: zip([
      { name: 'bin/run', data: shell },
      { name: 'app.js', data: '1' },
    ]),
  },
  'a script of VBScript in an archive': { bytes: tar({ 'a.vbs': 'x' }) },
  'a site in an archive': { bytes: zip([{ name: 'index.html', data: '<script src=app.js></script>' }]) },
  'a program of Linux in an archive': { bytes: tar({ 'bin/id': `\x7fELF${'\0'.repeat(99)}` }) },
  'a link to a site in an archive': { bytes: zip([{ name: 'a.url', data: 'x' }]) },
  EICAR: { bytes: eicar, name: 'eicar.com' },
  'EICAR in an archive': { bytes: zip([{ name: 'a.com', data: eicar }]) },
}

const samples = {
  measured,
  inArchives,
  elsewhere,
  inContainers,
  inHeaders,
  inOffice,
  inTexts,
  byName,
  inPages,
  inPdf,
  ordinary,
}

/** A status with the codes of its reasons, by group and name of the sample, and the version that goes with all of them. */
const Golden = z.object({ version: z.number(), verdicts: z.record(z.string(), z.record(z.string(), z.string())) })

/** Verdicts and their version. */
export type Golden = z.infer<typeof Golden>

const file = new URL('golden.json', import.meta.url)

/** The verdicts as they were when the version was last raised. */
export const kept = async (): Promise<Golden> => Golden.parse(JSON.parse(await readFile(file, 'utf8')))

/** The verdicts as they are. */
export async function current(): Promise<Golden> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-golden-'))
  const verdicts: Golden['verdicts'] = {}
  try {
    for (const [group, uploads] of Object.entries(samples)) {
      const ofGroup: Record<string, string> = {}
      for (const [name, upload] of Object.entries(uploads)) {
        const { status, reasons } = await examineBytes(folder, upload)
        ofGroup[name] = [status, ...new Set(reasons.map(({ code }) => code))].join(' ')
      }
      verdicts[group] = ofGroup
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return { version: heuristicsVersion, verdicts }
}

/** The samples whose verdicts differ; those that only one of the two has are no difference, as samples may be added. */
export function changed(before: Golden, now: Golden): string[] {
  return Object.entries(now.verdicts).flatMap(([group, ofGroup]) =>
    Object.entries(ofGroup).flatMap(([name, verdict]) => {
      const was = before.verdicts[group]?.[name]
      return was === undefined || was === verdict ? [] : [`${name}: ${was} → ${verdict}`]
    }),
  )
}

if (import.meta.main) {
  const [before, now] = [await kept().catch(() => ({ version: 0, verdicts: {} })), await current()]
  const differences = changed(before, now)
  if (differences.length > 0 && now.version <= before.version) {
    console.error(`Raise heuristicsVersion first, as verdicts have changed:\n${differences.join('\n')}`)
    process.exit(1)
  }
  await writeFile(file, `${JSON.stringify(now, null, 2)}\n`)
}
