import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'tap'
import type { Engine, Verdict } from '../../workers/scan/verdict.ts'
import { eicar, type Part, zip } from './archives.ts'
import { png } from './pictures.ts'
import { engineOf, examineBytes, standIn } from './stand-in.ts'

const answering = (answer: (size: number | null) => Verdict) =>
  engineOf(async (bytes, size) => {
    for await (const _ of bytes);
    return answer(size)
  })

test('what the engine says of a part is said of the whole', async (t) => {
  const folder = t.testdir()
  const bytes = zip([
    { name: 'a', data: 'four' },
    { name: 'b', data: 'three' },
  ])
  const saying = (status: Verdict['status']) =>
    examineBytes(
      folder,
      { bytes },
      answering((size) => ({ status: size === 4 ? status : 'clean', signature: 'Said' })),
    )
  t.match(await saying('infected'), { status: 'infected', reasons: [{ code: 'malware', entry: 'a', detail: /Said/ }] })
  t.match(await saying('suspicious'), { status: 'suspicious', reasons: [{ code: 'scanner_suspicious', entry: 'a' }] })
  t.match(await saying('unscannable'), {
    status: 'unscannable',
    reasons: [{ code: 'scanner_unscannable', entry: 'a' }],
  })
  await t.rejects(saying('error'), /scanner failed/)
})

test('an engine that fails, or that calls clean what it has not read, decides nothing', async (t) => {
  const folder = t.testdir()
  const bytes = zip([{ name: 'a', data: Buffer.alloc(900_000, 'x') }])
  const by = (scan: Engine['scan']) => examineBytes(folder, { bytes }, engineOf(scan))
  await t.rejects(
    by(async () => Promise.reject(new Error('gone'))),
    /gone/,
  )
  await t.rejects(
    by(async () => ({ status: 'clean' })),
    /without reading all of it/,
  )
  await t.rejects(
    by(async (stream) => {
      stream.destroy()
      return { status: 'clean' }
    }),
    /without reading all of it/,
  )
  const early = by(async (stream, size, signal) => {
    if (size === bytes.length) return await standIn.scan(stream, size, signal)
    stream.destroy()
    return { status: 'unscannable', signature: 'TooLarge' }
  })
  t.match(await early, { status: 'unscannable', reasons: [{ code: 'scanner_unscannable', entry: 'a' }] })
})

test('an examination that is called off ends with the reason, in the midst of a content too', async (t) => {
  const folder = t.testdir()
  const called = new AbortController()
  const engine = engineOf(async (bytes, size, signal) => {
    for await (const _ of bytes) if (size === 50_000_000) called.abort(new Error('called off'))
    signal.throwIfAborted()
    return { status: 'clean' }
  })
  const bytes = zip([{ name: 'a', data: Buffer.alloc(50_000_000, 'x') }])
  await t.rejects(examineBytes(folder, { bytes, limits: { ratio: 1e6 }, signal: called.signal }, engine), /called off/)
  t.equal((await readdir(folder)).filter((name) => name.endsWith('.scratch')).length, 0)
})

const mebibyte = 1024 ** 2
setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

test('an archive that fits no memory is walked in bounded memory and scratch space, and leaves nothing behind', async (t) => {
  const folder = t.testdir()
  const large: Part[] = [
    { name: 'zeros', method: 0, data: Buffer.alloc(128 * mebibyte) },
    { name: 'eicar.com', data: eicar },
  ]
  const bytes = zip([{ name: 'large.zip', data: zip(large) }])
  large.length = 0
  collect()
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const blind = engineOf(async (stream) => {
    for await (const _ of stream) most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    return { status: 'clean' }
  })
  const limits = { ratio: 1e6, memory: mebibyte }
  const whole = await examineBytes(folder, { bytes, limits }, blind)
  t.match(whole, { status: 'infected', reasons: [{ code: 'eicar', entry: 'large.zip → eicar.com' }] })
  t.ok(most < 64 * mebibyte, `${most} bytes at most`)
  const cramped = await examineBytes(folder, { bytes, limits: { ...limits, scratch: 64 * mebibyte } }, blind)
  t.match(cramped, { status: 'unscannable', reasons: [{ code: 'too_large', entry: 'large.zip' }] })
  t.same(
    (await readdir(folder)).filter((name) => name.includes('scratch')),
    [],
  )
})

test('what is too large for the memory is looked at like the rest, at its ends as well', async (t) => {
  const folder = t.testdir()
  const noise = randomBytes(300_000)
  const limits = { memory: 100_000 }
  const found = async (data: Buffer) => await examineBytes(folder, { bytes: zip([{ name: 'a.dat', data }]), limits })
  t.match(await found(noise), { status: 'clean', reasons: [] })
  t.match(await found(Buffer.concat([png, noise, png])), { status: 'clean', reasons: [] })
  const program = Buffer.from('#!/bin/sh\nid\n')
  t.match(await found(Buffer.concat([png, program, Buffer.alloc(300_000, 'x')])), { reasons: [{ code: 'polyglot' }] })
  t.match(await found(Buffer.concat([noise, zip([{ name: 'a', data: 'x' }])])), { reasons: [{ code: 'polyglot' }] })
  t.match(
    await found(
      zip([
        { name: 'a', data: noise },
        { name: 'b', data: eicar },
      ]),
    ),
    { status: 'infected' },
  )
})
