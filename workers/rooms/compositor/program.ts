import { createInterface } from 'node:readline'
import { lowerDecoderPriority } from './decoders.ts'
import { describePipeline } from './description.ts'
import { FrameSizeGate, openGate } from './gate.ts'
import { layOut, layOutBeside } from './grid.ts'
import { Pipeline } from './gstreamer.ts'
import type { CompositorOrder, CompositorReport, CompositorShape, Slot } from './messages.ts'

/** Intervals in milliseconds between checks of the pipeline, and between checks of its hundreds of threads. */
const [lookMs, threadsMs] = [100, 1_000]

const finishMs = 3_000

/** ID of `nobody` and `nogroup` in Debian. */
const nobody = 65_534

const mostOfTitle = 100

const report = (line: CompositorReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Escapes a name, because Pango interprets names as markup. */
const markup = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function fitting(name: string, width: number, height: number): string {
  return shortened(name, Math.max(3, Math.floor(width / (height * 0.62)) - 2))
}

function shortened(text: string, most: number): string {
  const letters = [...text.replaceAll(/\p{C}/gu, ' ')]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('')
}

async function start(shape: CompositorShape): Promise<(order: CompositorOrder) => void> {
  const pipeline = new Pipeline(describePipeline(shape))
  pipeline.setText('slate', 'text', markup(shortened(shape.title, mostOfTitle)))
  if (typeof shape.output === 'object') pipeline.setText('out', 'location', shape.output.rtmp)
  // Permissions are dropped after the plugins are loaded.
  if (shape.asNobody) {
    process.setgroups?.([])
    process.setgid?.(nobody)
    process.setuid?.(nobody)
  }
  pipeline.play()
  report({ type: 'ready', slots: await Promise.all(Array.from({ length: shape.slots }, (_, i) => open(pipeline, i))) })
  let last = 0n
  const end = (error?: string): never => {
    pipeline.stop()
    report(error === undefined ? { type: 'ended' } : { type: 'ended', error })
    process.exit()
  }
  let decoders = 0
  setInterval(() => {
    if (decoders < shape.slots) decoders = lowerDecoderPriority()
  }, threadsMs)
  setInterval(() => {
    const over = pipeline.poll()
    if (over) end(over.error)
    const position = pipeline.position('out') ?? 0n
    if (position > last) report({ type: 'running', seconds: Number(position) / 1e9 })
    last = position
  }, lookMs)
  return (order) => {
    if (order.type === 'show') show(pipeline, shape, order)
    if (order.type !== 'finish') return
    pipeline.finish()
    setTimeout(end, finishMs)
  }
}

async function open(pipeline: Pipeline, index: number): Promise<Slot> {
  const gate = new FrameSizeGate((size) => report({ type: 'refused', index, size }))
  const videoPort = await openGate(pipeline.getNumber(`video${index}`, 'port'), gate)
  return { index, audioPort: pipeline.getNumber(`audio${index}`, 'port'), videoPort }
}

function show(
  pipeline: Pipeline,
  { slots, width, height }: CompositorShape,
  { shown, main }: Extract<CompositorOrder, { type: 'show' }>,
) {
  pipeline.setNumbers('slate', { silent: shown.length > 0 ? 1 : 0 })
  const large = shown.findIndex((slot) => slot.index === main)
  const tiles = large < 0 ? layOut(shown.length, width, height) : layOutBeside(shown.length, large, width, height)
  const letter = Math.round(height / 40)
  for (let index = 0; index < slots; index++) {
    const at = shown.findIndex((slot) => slot.index === index)
    const [tile, name = ''] = [tiles[at], shown[at]?.name]
    pipeline.setFraction(`pictures.sink_${index}`, 'alpha', tile ? 1 : 0)
    pipeline.setNumbers(`name${index}`, { silent: tile && name ? 0 : 1 })
    if (!tile) continue
    pipeline.setNumbers(`pictures.sink_${index}`, {
      xpos: tile.x,
      ypos: tile.y,
      width: tile.width,
      height: tile.height,
    })
    pipeline.setNumbers(`name${index}`, { xpad: tile.x + letter, ypad: tile.y + tile.height - 3 * letter })
    pipeline.setText(`name${index}`, 'text', markup(fitting(name, tile.width, letter)))
  }
}

let obeying: Promise<(order: CompositorOrder) => void> | undefined
createInterface(process.stdin)
  .on('line', (line) => {
    const order: CompositorOrder = JSON.parse(line)
    if (order.type === 'start') obeying = start(order.shape)
    else void obeying?.then((obey) => obey(order))
  })
  .on('close', () => process.exit())
