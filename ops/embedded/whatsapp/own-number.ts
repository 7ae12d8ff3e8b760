import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { SandboxTemplate } from './templates.ts'

const reviewMs = 3_000

const Kept = z.object({
  address: z.object({ url: z.url(), verifyToken: z.string() }).optional(),
  templates: z.array(z.custom<SandboxTemplate>((value) => typeof value === 'object' && value !== null)).default([]),
})

export interface OwnNumber {
  address(): { url: string; verifyToken: string } | undefined
  subscribe(address: { url: string; verifyToken: string }): void
  templates(): readonly SandboxTemplate[]
  add(form: Omit<SandboxTemplate, 'id' | 'status'>, approved: (template: SandboxTemplate) => void): SandboxTemplate
  remove(id: string): boolean
}

export function openOwnNumber(dir: string): OwnNumber {
  const path = join(dir, 'own-number.json')
  const kept = read(path)
  const write = () => writeFileSync(path, JSON.stringify(kept), { mode: 0o600 })
  const approve = (template: SandboxTemplate, approved: (template: SandboxTemplate) => void) => {
    setTimeout(() => {
      template.status = 'APPROVED'
      write()
      approved(template)
    }, reviewMs).unref()
  }
  return {
    address: () => kept.address,
    subscribe(address) {
      kept.address = address
      write()
    },
    templates: () => kept.templates,
    add(form, approved) {
      const template = { ...form, id: `4${randomBytes(6).readUIntBE(0, 6)}`, status: 'PENDING' }
      kept.templates.push(template)
      write()
      approve(template, approved)
      return template
    },
    remove(id) {
      const before = kept.templates.length
      kept.templates = kept.templates.filter((one) => one.id !== id)
      write()
      return kept.templates.length < before
    },
  }
}

function read(path: string): z.infer<typeof Kept> {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return { templates: [] }
  }
}
