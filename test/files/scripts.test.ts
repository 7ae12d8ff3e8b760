import t, { test } from 'tap'
import { tar, zip } from './archives.ts'
import { examineBytes } from './stand-in.ts'

const folder = t.testdir()
const shell = '#!/bin/sh\nid\n'

/** Scripts by their names. */
const plain = {
  'deploy.sh': shell,
  configure: shell,
  'notes.txt': shell,
  'tool.py': '#!/usr/bin/env python3\nprint(1)\n',
  'app.js': 'console.log(1)\n',
  'build.ps1': 'Get-Date\n',
  'make.bat': '@echo off\r\n',
  'mvnw.cmd': '@echo off\r\n',
}
const opened = ['vbs', 'vbe', 'jse', 'ws', 'wsf', 'wsh', 'hta', 'command', 'terminal'].map((ending) => [
  `a.${ending}`,
  'x',
])
const disguised = {
  'invoice.pdf.js': 'x',
  'invoice.pdf.bat': 'x',
  'photo.png': shell,
  'letter.docx': shell,
  'a.zip': shell,
}

/** What is found in a script alone, and in archives. */
async function everywhere(name: string, data: string): Promise<string[]> {
  const archived = zip([{ name, data }])
  const uploads = [
    { bytes: data, name },
    { bytes: archived },
    { bytes: tar({ [name]: data }) },
    { bytes: zip([{ name: 'inner.zip', data: archived }]) },
  ]
  return (await Promise.all(uploads.map((upload) => examineBytes(folder, upload)))).map(({ status }) => status)
}

const all = (status: string) => Array(4).fill(status)

test('the source text of a script passes under a name that says what it is, alone and in archives', async (t) => {
  for (const [name, data] of Object.entries(plain)) t.strictSame(await everywhere(name, data), all('clean'), name)
})

test('a script that is made to run by being opened is suspicious, alone and in archives', async (t) => {
  for (const [name = '', data = ''] of opened) t.strictSame(await everywhere(name, data), all('suspicious'), name)
  t.strictSame(await everywhere('help.chm', `ITSF\x03\0\0\0${'x'.repeat(99)}`), all('suspicious'), 'compiled help')
})

test('a script under the name of something else is suspicious, alone and in archives', async (t) => {
  for (const [name, data] of Object.entries(disguised))
    t.strictSame(await everywhere(name, data), all('suspicious'), name)
})
