import { Handshakes } from './handshakes.ts'
import { type SrtOptions, SrtPort } from './srt-port.ts'

export interface SrtListeners {
  follow(): Promise<void>
  published(name: string): string | undefined
  end(channelId: string): void
  close(): Promise<void>
}

export function startSrt(options: SrtOptions): SrtListeners {
  const ports = new Map<string, SrtPort>()
  let closing = false
  const handshakes = new Handshakes(options.handshakes)
  return {
    async follow() {
      if (closing) return
      const channels = new Map((await options.srtPorts.list()).map((channel) => [channel.id, channel]))
      for (const [id, port] of ports) {
        const { srt_port, srt_passphrase } = channels.get(id) ?? {}
        if (port.number === srt_port && port.sealed === srt_passphrase) continue
        ports.delete(id)
        await port.close()
      }
      for (const [id, channel] of channels) {
        const passphrase = options.seal.open(channel.srt_passphrase, id)
        if (passphrase === null || closing || ports.has(id)) continue
        ports.set(id, new SrtPort(channel, passphrase, options, handshakes))
      }
    },
    published(name) {
      const [id, port] = [...ports].find(([, port]) => port.name === name) ?? []
      if (port) handshakes.over(port)
      return id
    },
    end: (channelId) => ports.get(channelId)?.end(),
    async close() {
      closing = true
      await Promise.all([...ports.values()].map((port) => port.close()))
    },
  }
}
